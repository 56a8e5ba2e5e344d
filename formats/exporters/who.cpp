#include "formats/exporters/who.h"

#include <algorithm>
#include <map>

#include "core/model/processes.h"
#include "core/model/sources.h"

namespace gprofx::exporters {
namespace {

constexpr int64_t kApart = 10'000'000;  // above any id that Linux assigns

std::string NameOr(std::string_view name, const char* what, int64_t number) {
  return name.empty() ? what + (" " + std::to_string(number)) : std::string(name);
}

}  // namespace

Who WhoIsWho(const Profile& profile) {
  Who who;
  who.processes.push_back({0, "unknown process", "", 0, 0});
  who.threads.push_back({0, 0, "unknown thread", false, 0, 0});
  const std::vector<ProcessId> last = LastPrograms(profile);
  std::map<uint32_t, uint32_t> shown;  // by row of the last program: position
  for (size_t i = 0; i < last.size(); ++i) {
    const Process& own = profile.processes[i];
    const auto next = static_cast<uint32_t>(who.processes.size());
    const auto [found, made] = shown.try_emplace(last[i].value, next);
    if (!made) {
      ShownProcess& known = who.processes[found->second];
      known.start = std::min(known.start, own.start);
      continue;
    }
    const Process& process = profile.process(last[i]);
    const uint32_t source = process.source ? process.source.value - 1 : 0;
    who.processes.push_back({process.pid + kApart * source,
                             NameOr(profile.Text(process.name), "process", process.pid),
                             std::string(profile.Text(process.command)), own.start, process.end});
  }
  for (const Thread& thread : profile.threads) {
    ShownThread row;
    if (thread.process) row.process = shown[last[thread.process.index()].value];
    const ShownProcess& process = who.processes[row.process];
    row.is_main = thread.process && thread.tid == profile.process(thread.process).pid;
    row.tid = row.is_main ? process.pid : thread.tid;
    row.name = row.is_main && !thread.name
                   ? process.name
                   : NameOr(profile.Text(thread.name), "thread", thread.tid);
    row.start = thread.start;
    row.end = thread.end;
    who.threads.push_back(std::move(row));
  }
  return who;
}

std::string Numbered(const std::string& name, int64_t number) {
  return name + " (" + std::to_string(number) + ")";
}

}  // namespace gprofx::exporters
