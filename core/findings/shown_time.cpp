#include "core/findings/shown_time.h"

#include <algorithm>

#include "core/base/quantile.h"
#include "core/gpu/traced_times.h"

namespace gprofx::findings {
namespace {

// Length of a pause, in steps. A longer time between two steps, such as an evaluation, is a pause.
// Shorter times are part of the loop, which may wait for a loader.
constexpr int64_t kPause = 10;

}  // namespace

std::vector<TimeRange> StepsOf(const Profile& profile, ProcessId process) {
  std::vector<TimeRange> out;
  const auto& trains = profile.phases.trains;
  if (trains.empty() || trains[0].process != process) return out;
  for (const TimeRange& step : trains[0].steps) {
    if (profile.part &&
        (step.begin < profile.part->range.begin || step.end > profile.part->range.end)) {
      continue;
    }
    const TimeRange at{std::clamp(step.begin, -kFarTime, kFarTime),
                       std::clamp(step.end, -kFarTime, kFarTime)};
    if (at.begin < at.end && (out.empty() || out.back().end <= at.begin)) out.push_back(at);
  }
  return out;
}

std::vector<TimeRange> RunsOf(const std::vector<TimeRange>& steps) {
  std::vector<int64_t> passes{steps[0].end - steps[0].begin};
  for (size_t i = 1; i < steps.size(); ++i) passes.push_back(steps[i].begin - steps[i - 1].begin);
  const int64_t pass = Median(std::move(passes));
  const int64_t longest = pass > INT64_MAX / kPause ? INT64_MAX : pass * kPause;
  std::vector<TimeRange> out{steps[0]};
  for (const TimeRange& step : steps) {
    if (step.begin - out.back().end > longest) {
      out.push_back(step);
    } else {
      out.back().end = step.end;
    }
  }
  return out;
}

std::vector<TimeRange> Segments(const FindingEvents& events, ProcessId process,
                                const std::vector<TimeRange>& runs) {
  if (events.windows.empty()) return runs;
  const std::vector<TimeRange> windows = TracedTimes(events.windows, process);
  std::vector<TimeRange> out;
  size_t run = 0;
  for (const TimeRange& window : windows) {
    while (run < runs.size() && runs[run].end <= window.begin) ++run;
    for (size_t i = run; i < runs.size() && runs[i].begin < window.end; ++i) {
      const TimeRange part{std::max(window.begin, runs[i].begin),
                           std::min(window.end, runs[i].end)};
      if (part.begin < part.end) out.push_back(part);
    }
  }
  return out;
}

}  // namespace gprofx::findings
