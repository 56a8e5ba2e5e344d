#include "core/views/recording.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "core/base/arithmetic.h"
#include "core/cost/profiling_time.h"
#include "core/model/processes.h"
#include "core/steps/begin_at.h"
#include "core/steps/phases.h"
#include "core/views/view.h"

namespace gprofx {
namespace {

// Returns the total time in which at least one recording ran; 0 if one of them has no duration.
// Gaps between recordings do not count, because sequential runs may be days apart.
int64_t DurationOfAll(const std::vector<Source>& sources) {
  std::vector<TimeRange> runs;
  for (const Source& source : sources) {
    const auto found = source.meta.find("duration_ns");
    if (found == source.meta.end()) return 0;
    const int64_t duration = strtoll(found->second.c_str(), nullptr, 10);
    runs.push_back({source.clock_offset_ns, AddSaturated(source.clock_offset_ns, duration)});
  }
  std::sort(runs.begin(), runs.end(),
            [](const TimeRange& a, const TimeRange& b) { return a.begin < b.begin; });
  int64_t sum = 0;
  HostNs until = INT64_MIN;
  for (const TimeRange& run : runs) {
    const HostNs begin = std::max(run.begin, until);
    if (run.end <= begin) continue;
    sum = AddSaturated(sum, SubtractSaturated(run.end, begin));
    until = run.end;
  }
  return sum;
}

std::optional<double> MetaRate(const Profile& profile, const char* name) {
  const std::string text(MetaText(profile, name));
  if (text.empty()) return std::nullopt;
  return strtod(text.c_str(), nullptr);
}

// Returns the name of the recorded program. If the command called exec (as a shim of an interpreter
// does), this is the last program.
std::string_view ProgramName(const Profile& profile) {
  std::string_view name;
  for (const Process& process : profile.processes) {
    if (process.pid == profile.processes[0].pid) name = profile.Text(process.name);
  }
  return name.empty() ? MetaText(profile, "command") : name;
}

// True if every recording has a rank of its own. Repeated runs have the same rank twice.
bool AreRanks(const std::vector<Source>& sources) {
  std::set<int32_t> ranks;
  for (const Source& source : sources) {
    if (source.rank < 0 || !ranks.insert(source.rank).second) return false;
  }
  return true;
}

// Returns the time of each process in the metric of the recording's clock, by row. If a process ran
// several programs, the row of the last one has the time of all.
std::vector<int64_t> TimeByProcess(const Profile& profile, const std::vector<ProcessId>& last) {
  const Result<MetricId> clock = ChooseMetric(profile, "");
  std::vector<int64_t> sums(profile.processes.size());
  for (const Value& value : profile.values) {
    if (!clock || value.metric != *clock || !value.thread) continue;
    const ProcessId process = profile.thread(value.thread).process;
    if (!process) continue;
    int64_t& sum = sums[last[process.index()].index()];
    sum = AddSaturated(sum, value.self);
  }
  return sums;
}

bool IsCounted(const Profile& profile, uint32_t thread) {
  return profile.threads[thread].end != kEndedBefore && !IsLeftOut(profile, ThreadId{thread + 1});
}

// Counts the brief processes: those with less than a hundredth of the time each. Leaves the counts
// at 0 if brief processes have a tenth of the time or more together.
void CountBrief(const Profile& profile, Recording& recording) {
  const std::vector<ProcessId> last = LastPrograms(profile);
  const std::vector<int64_t> times = TimeByProcess(profile, last);
  int64_t whole = 0, together = 0;
  for (const int64_t time : times) whole = AddSaturated(whole, time);
  std::vector<uint8_t> brief(times.size());
  for (size_t i = 0; i < times.size(); ++i) {
    if (last[i].index() != i || profile.processes[i].end == kEndedBefore) continue;
    if (times[i] >= whole / 100) continue;
    brief[i] = 1;
    together = AddSaturated(together, times[i]);
  }
  if (together >= whole / 10) return;
  recording.brief_processes =
      static_cast<size_t>(std::count(brief.begin(), brief.end(), uint8_t{1}));
  for (uint32_t i = 0; i < profile.threads.size(); ++i) {
    const ProcessId process = profile.threads[i].process;
    if (process && brief[last[process.index()].index()] != 0 && IsCounted(profile, i))
      ++recording.brief_threads;
  }
}

}  // namespace

int64_t MetaNumber(const Profile& profile, const char* name, int64_t otherwise) {
  const std::string text(MetaText(profile, name));
  return text.empty() ? otherwise : strtoll(text.c_str(), nullptr, 10);
}

std::string_view MetaText(const Profile& profile, const char* name) {
  const auto found = profile.meta.find(name);
  return found == profile.meta.end() ? std::string_view() : std::string_view(found->second);
}

Recording DescribeRecording(const Profile& profile) {
  Recording recording;
  recording.program = ProgramName(profile);
  recording.duration_ns = MetaNumber(profile, "duration_ns");
  if (profile.sources.size() > 1) {
    recording.recordings = profile.sources.size();
    recording.are_ranks = AreRanks(profile.sources);
    recording.duration_ns = DurationOfAll(profile.sources);
  }
  recording.duration_ns = HostTime(profile, recording.duration_ns);
  recording.has_window = !MetaText(profile, "window_begin_ns").empty();
  recording.window_begin_ns = MetaNumber(profile, "window_begin_ns");
  recording.window_end_ns = MetaNumber(profile, "window_end_ns");
  if (const auto paused = profile.quality.find("paused_ns"); paused != profile.quality.end())
    recording.paused_ns = paused->second;
  recording.flight_rule = MetaText(profile, "flight_rule");
  recording.flight_begin_ns = MetaNumber(profile, "flight_begin_ns");
  recording.processes = CountProcesses(profile);
  for (uint32_t i = 0; i < profile.threads.size(); ++i) {
    recording.threads += IsCounted(profile, i) ? 1 : 0;
  }
  CountBrief(profile, recording);
  recording.rate_asked_hz = MetaRate(profile, "rate_asked_hz");
  recording.rate_reached_hz = MetaRate(profile, "rate_reached_hz");
  recording.rate_possible_hz = MetaRate(profile, "rate_expected_hz");
  const auto sparse = profile.quality.find("sparse_samples_ns");
  recording.rate_was_lowered = sparse != profile.quality.end() && sparse->second > 0;
  recording.kernel_time_excluded = MetaText(profile, "kernel_time") == "excluded";
  recording.start_realtime_ns = MetaNumber(profile, "start_realtime_ns");
  for (const GpuDevice& device : profile.gpu.devices) {
    ++recording.devices[profile.Text(device.name)];
  }
  return recording;
}

}  // namespace gprofx
