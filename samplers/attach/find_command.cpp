#include "samplers/attach/find_command.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <memory>

#include "core/base/file_io.h"
#include "samplers/collector/procfs.h"

namespace gprofx {
namespace {

constexpr size_t kMostCommand = 1 << 20, kMostListed = 8, kMostShown = 60;

bool HasWords(std::string_view command, std::string_view wanted) {
  for (size_t at = command.find(wanted); at != std::string_view::npos;
       at = command.find(wanted, at + 1)) {
    // Of a word that is a path, its last part will do.
    const bool begins = at == 0 || command[at - 1] == ' ' || command[at - 1] == '/';
    const size_t end = at + wanted.size();
    if (begins && (end == command.size() || command[end] == ' ')) return true;
  }
  return false;
}

const RunningCommand* Of(const std::vector<RunningCommand>& commands, int64_t pid) {
  const auto found = std::find_if(commands.begin(), commands.end(),
                                  [=](const RunningCommand& c) { return c.pid == pid; });
  return found == commands.end() ? nullptr : &*found;
}

// Process `of` and those that it descends from, which leave the others.
std::vector<RunningCommand> TakeAncestors(std::vector<RunningCommand>& commands, int64_t of) {
  std::vector<RunningCommand> taken;
  while (const RunningCommand* one = Of(commands, of)) {
    of = one->parent;
    taken.push_back(*one);
    commands.erase(commands.begin() + (one - commands.data()));
  }
  return taken;
}

bool HasAncestorAmong(const std::vector<RunningCommand>& commands,
                      const std::vector<const RunningCommand*>& set, const RunningCommand& child) {
  int64_t parent = child.parent;
  for (int depth = 0; depth < 64 && parent > 1; ++depth) {
    if (std::any_of(set.begin(), set.end(), [=](const auto* c) { return c->pid == parent; }))
      return true;
    const RunningCommand* up = Of(commands, parent);
    if (up == nullptr) return false;
    parent = up->parent;
  }
  return false;
}

}  // namespace

std::vector<RunningCommand> RunningCommands() {
  std::vector<RunningCommand> commands;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc"), closedir);
  while (const dirent* entry = folder == nullptr ? nullptr : readdir(folder.get())) {
    RunningCommand one;
    const char* end = entry->d_name + std::strlen(entry->d_name);
    const auto read = std::from_chars(entry->d_name, end, one.pid);
    if (read.ec != std::errc() || read.ptr != end || one.pid == getpid()) continue;
    auto text = ReadSmallFile("/proc/" + std::string(entry->d_name) + "/cmdline", kMostCommand);
    if (!text) continue;
    while (!text->empty() && text->back() == '\0') text->pop_back();
    std::replace(text->begin(), text->end(), '\0', ' ');
    one.parent = ParentOf(one.pid);
    one.command = std::move(*text);
    commands.push_back(std::move(one));
  }
  return commands;
}

Result<int64_t> ChooseCommand(std::vector<RunningCommand> commands, std::string_view wanted,
                              int64_t parent) {
  const auto matches = [&](const RunningCommand& one) {
    return !wanted.empty() && HasWords(one.command, wanted);
  };
  const std::vector<RunningCommand> above = TakeAncestors(commands, parent);
  std::vector<const RunningCommand*> matching;
  for (const RunningCommand& one : commands) {
    if (matches(one)) matching.push_back(&one);
  }
  const auto ancestor = std::find_if(above.begin(), above.end(), matches);
  if (matching.empty() && ancestor != above.end()) {
    return Error{"only processes that gprof-x was started by run '" + std::string(wanted) + "'",
                 "if that is meant: --pid " + std::to_string(ancestor->pid)};
  }
  if (matching.empty()) {
    return Error{"no process runs '" + std::string(wanted) + "'",
                 "its command line must have these words; ps -ef shows them"};
  }
  std::vector<const RunningCommand*> roots;
  for (const RunningCommand* one : matching) {
    if (!HasAncestorAmong(commands, matching, *one)) roots.push_back(one);
  }
  if (roots.size() == 1) return roots[0]->pid;
  std::string list;
  for (size_t i = 0; i < roots.size() && i < kMostListed; ++i) {
    list += (i == 0 ? " " : "; ") + std::to_string(roots[i]->pid) + " " +
            roots[i]->command.substr(0, kMostShown);
  }
  if (roots.size() > kMostListed) list += "; ...";
  const std::string count = std::to_string(roots.size());
  return Error{count + " processes run '" + std::string(wanted) + "':" + list,
               "choose one with --pid"};
}

std::vector<int64_t> FamilyOf(const std::vector<RunningCommand>& commands, int64_t pid) {
  std::vector<int64_t> family{pid};
  for (size_t i = 0; i < family.size(); ++i) {
    for (const RunningCommand& one : commands) {
      const bool known = std::find(family.begin(), family.end(), one.pid) != family.end();
      if (one.parent == family[i] && !known) family.push_back(one.pid);
    }
  }
  return family;
}

}  // namespace gprofx
