#include "samplers/attach/python/find_command.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/base/file_io.h"
#include "core/redact/mask_arguments.h"
#include "samplers/collector/processes/procfs.h"

namespace gprofx::attach {
namespace {

constexpr size_t kMaxCommand = 1 << 20, kMaxListed = 8, kMaxShown = 60;
// Limits for all processes together, because anyone may start processes with a megabyte of
// arguments each.
constexpr size_t kMaxOfAll = 64 << 20, kMaxThen = 4096;

std::optional<std::string> CommandLine(const ProcessHandle& process, size_t most) {
  auto text = process.Read("cmdline", most);
  while (text && !text->empty() && text->back() == '\0') text->pop_back();
  return text;
}

// Returns the command as an error message shows it. Leaves out secrets, which the arguments of
// other users' processes may contain.
std::string Shown(std::string_view command) {
  std::vector<std::string> words;
  while (!command.empty()) {
    const size_t end = std::min(command.find('\0'), command.size());
    words.emplace_back(command.substr(0, end));
    command.remove_prefix(std::min(end + 1, command.size()));
  }
  std::string line;
  for (const std::string& word : StoredCommand(words)) line += (line.empty() ? "" : " ") + word;
  return line.substr(0, kMaxShown);
}

bool HasWords(std::string command, std::string_view wanted) {
  std::replace(command.begin(), command.end(), '\0', ' ');
  for (size_t at = command.find(wanted); at != std::string_view::npos;
       at = command.find(wanted, at + 1)) {
    // The text may begin in the middle of a word, after a slash: if a word is a path, its last
    // component is enough.
    const bool begins = at == 0 || command[at - 1] == ' ' || command[at - 1] == '/';
    const size_t end = at + wanted.size();
    if (begins && (end == command.size() || command[end] == ' ')) return true;
  }
  return false;
}

Error NoneRuns(std::string_view wanted) {
  return {ErrorId::kNoSuchProcess, "no process runs '" + std::string(wanted) + "'",
          "use words of its command line; ps -ef shows command lines"};
}

const RunningCommand* Of(const std::vector<RunningCommand>& commands, int64_t pid) {
  const auto found = std::find_if(commands.begin(), commands.end(),
                                  [=](const RunningCommand& c) { return c.pid == pid; });
  return found == commands.end() ? nullptr : &*found;
}

// Removes process `of` and its ancestors from `commands`. Returns the removed ones.
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

std::vector<RunningCommand> RunningProcesses() {
  std::vector<RunningCommand> processes;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc"), closedir);
  while (const dirent* entry = folder == nullptr ? nullptr : readdir(folder.get())) {
    RunningCommand one;
    const char* end = entry->d_name + std::strlen(entry->d_name);
    const auto read = std::from_chars(entry->d_name, end, one.pid);
    if (read.ec != std::errc() || read.ptr != end || one.pid == getpid()) continue;
    one.parent = ParentOf(one.pid);
    processes.push_back(std::move(one));
  }
  return processes;
}

std::vector<RunningCommand> RunningCommands() {
  std::vector<RunningCommand> commands;
  size_t bytes = 0;
  for (RunningCommand& one : RunningProcesses()) {
    const size_t most = bytes < kMaxOfAll ? kMaxCommand : kMaxThen;
    auto command = CommandLine(ProcessHandle(static_cast<pid_t>(one.pid)), most);
    if (!command) continue;
    one.command = std::move(*command);
    bytes += one.command.size();
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
    return Error{ErrorId::kNoSuchProcess,
                 "only ancestors of gprof-x run '" + std::string(wanted) + "'",
                 "to record one of them, use --pid " + std::to_string(ancestor->pid)};
  }
  if (matching.empty()) return NoneRuns(wanted);
  std::vector<const RunningCommand*> roots;
  for (const RunningCommand* one : matching) {
    if (!HasAncestorAmong(commands, matching, *one)) roots.push_back(one);
  }
  if (roots.size() == 1) return roots[0]->pid;
  std::string list;
  for (size_t i = 0; i < roots.size() && i < kMaxListed; ++i) {
    list += (i == 0 ? " " : "; ") + std::to_string(roots[i]->pid) + " " + Shown(roots[i]->command);
  }
  if (roots.size() > kMaxListed) list += "; ...";
  const std::string count = std::to_string(roots.size());
  return Error{ErrorId::kNoSuchProcess,
               count + " processes run '" + std::string(wanted) + "':" + list,
               "choose one with --pid"};
}

Result<ProcessHandle> FindCommand(std::string_view wanted, int64_t parent) {
  const auto chosen = ChooseCommand(RunningCommands(), wanted, parent);
  if (!chosen) return chosen.error();
  // Check the chosen process again. Its PID may have been reused since its command line was read.
  ProcessHandle process(static_cast<pid_t>(*chosen));
  const auto command = CommandLine(process, kMaxCommand);
  if (command && HasWords(*command, wanted)) return process;
  return NoneRuns(wanted);
}

std::vector<int64_t> FamilyOf(const std::vector<RunningCommand>& commands, int64_t pid) {
  std::unordered_multimap<int64_t, int64_t> children;
  for (const RunningCommand& one : commands) children.emplace(one.parent, one.pid);
  std::vector<int64_t> family{pid};
  std::unordered_set<int64_t> known{pid};
  for (size_t i = 0; i < family.size(); ++i) {
    const auto [first, last] = children.equal_range(family[i]);
    for (auto child = first; child != last; ++child) {
      if (known.insert(child->second).second) family.push_back(child->second);
    }
  }
  return family;
}

}  // namespace gprofx::attach
