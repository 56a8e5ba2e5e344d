#include "core/model/processes.h"

#include <map>
#include <utility>

#include "core/steps/begin_at.h"

namespace gprofx {

std::vector<ProcessId> LastPrograms(const Profile& profile) {
  const size_t count = profile.processes.size();
  std::vector<ProcessId> last(count);
  // Goes from the last row to the first. `latest` maps a pid of a recording to the row with that
  // pid that was visited last.
  std::map<std::pair<SourceId, int64_t>, size_t> latest;
  for (size_t i = count; i-- > 0;) {
    const Process& row = profile.processes[i];
    last[i] = ProcessId{static_cast<uint32_t>(i + 1)};
    const auto later = latest.find({row.source, row.pid});
    if (later != latest.end() && row.end > 0 && profile.processes[later->second].start == row.end) {
      last[i] = last[later->second];
    }
    latest[{row.source, row.pid}] = i;
  }
  return last;
}

size_t CountProcesses(const Profile& profile) {
  const std::vector<ProcessId> last = LastPrograms(profile);
  size_t count = 0;
  for (size_t i = 0; i < last.size(); ++i) {
    count += last[i].index() == i && profile.processes[i].end != kEndedBefore;
  }
  return count;
}

}  // namespace gprofx
