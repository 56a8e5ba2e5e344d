#include "core/steps/phases.h"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "core/base/arithmetic.h"
#include "core/base/quantile.h"
#include "core/gpu/launch_paths.h"
#include "core/model/profile.h"
#include "core/steps/step_finders.h"

namespace gprofx {
namespace {

constexpr size_t kMinSteady = 3;
// Warm-up ends with so many consecutive steps that are not longer than the typical step.
constexpr size_t kSettled = 3;
// Steps are a main loop if they hold this share of a process's GPU time.
constexpr double kMaxOfTheWork = 0.5;
constexpr double kMuchLonger = 1.25;  // a step longer than this times the median is not steady

ProcessId ProcessOf(const Profile& profile, ThreadId thread) {
  return thread ? profile.thread(thread).process : ProcessId{};
}

// Returns a flag for each process, by ProcessId::value. It is true if the steps are found by
// launches. In other processes, such as ranks whose work was recorded all the time, they are found
// by the recorded operations.
std::vector<bool> FoundByLaunches(const Profile& profile, const PhaseEvents& events) {
  std::vector<bool> found(profile.processes.size() + 1);
  if (!HasGaps(profile)) return found;
  for (const PhaseLaunch& launch : events.launches)
    found[ProcessOf(profile, launch.thread).value] = true;
  return found;
}

// True if nothing that steps are found by is missing. Dropped records matter only where records are
// used.
bool IsComplete(const Profile& profile, const PhaseEvents& events) {
  const auto lost = [&](const char* name) {
    const auto found = profile.quality.find(name);
    return found != profile.quality.end() && found->second > 0;
  };
  const std::vector<bool> by_launches = FoundByLaunches(profile, events);
  const bool uses_records = std::any_of(
      events.operations.begin(), events.operations.end(), [&](const PhaseOperation& operation) {
        return !by_launches[ProcessOf(profile, operation.thread).value];
      });
  return !lost("gpu_launches_lost") && !lost("gpu_stream_full") && !lost("timeline_rows_dropped") &&
         (!uses_records || !lost("gpu_records_dropped"));
}

// Returns an operation in place of a launch. It takes the mean GPU time of the launch's call path.
PhaseOperation OperationOf(const PhaseLaunch& launch, std::span<const int64_t> times) {
  PhaseOperation operation;
  operation.launch = operation.start = launch.time;
  operation.end = AddSaturated(launch.time, launch.node ? times[launch.node.index()] : 0);
  operation.thread = launch.thread;
  operation.node = launch.node;
  return operation;
}

std::map<ProcessId, ProcessEvents> ByProcess(const Profile& profile, const PhaseEvents& events) {
  std::map<ProcessId, ProcessEvents> processes;
  const auto of = [&](ThreadId thread) -> ProcessEvents& {
    return processes[ProcessOf(profile, thread)];
  };
  const std::vector<bool> by_launches = FoundByLaunches(profile, events);
  if (HasGaps(profile)) {
    const std::vector<int64_t> times = LaunchTimes(profile, events.operations);
    for (const PhaseLaunch& launch : events.launches)
      of(launch.thread).operations.push_back(OperationOf(launch, times));
  }
  for (const PhaseOperation& operation : events.operations) {
    if (!by_launches[ProcessOf(profile, operation.thread).value])
      of(operation.thread).operations.push_back(operation);
  }
  for (const PhaseWait& wait : events.waits) of(wait.thread).waits.push_back(wait);
  for (const PhaseMarker& marker : events.markers) of(marker.thread).markers.push_back(marker);
  const auto by_begin = [](const auto& a, const auto& b) { return a.begin < b.begin; };
  for (auto& [process, own] : processes) {
    std::stable_sort(
        own.operations.begin(), own.operations.end(), [](const auto& a, const auto& b) {
          return std::tuple(WhenLaunched(a), a.start) < std::tuple(WhenLaunched(b), b.start);
        });
    std::stable_sort(own.waits.begin(), own.waits.end(), by_begin);
    std::stable_sort(own.markers.begin(), own.markers.end(), by_begin);
  }
  return processes;
}

// Returns the number of warm-up steps. Warm-up ends with the first kSettled consecutive steps that
// are not longer than the typical later step. Returns 0 if the first half has no such steps.
uint32_t WarmUpOf(const std::vector<TimeRange>& steps) {
  std::vector<int64_t> lengths;
  for (const TimeRange& step : steps) lengths.push_back(step.end - step.begin);
  std::vector<int64_t> sorted(lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2),
                              lengths.end());
  std::sort(sorted.begin(), sorted.end());
  const auto usual = static_cast<double>(sorted[sorted.size() / 2]) * kMuchLonger;
  const auto often = static_cast<double>(sorted[sorted.size() * 9 / 10]);
  size_t settled = 0;
  for (size_t i = 0; i < lengths.size() / 2; ++i) {
    settled = static_cast<double>(lengths[i]) <= std::max(usual, often) ? settled + 1 : 0;
    if (settled == kSettled) return static_cast<uint32_t>(i + 1 - kSettled);
  }
  return 0;
}

void SetWarmUp(StepTrain& train) {
  train.warm_up = WarmUpOf(train.steps);
  if (train.steps.size() - train.warm_up < kMinSteady) train.warm_up = 0;
}

// Makes steps from their begins. Each step ends where the next begins. The last step, whose end is
// unknown, gets the median length.
std::vector<TimeRange> StepsFrom(const std::vector<HostNs>& begins, HostNs end) {
  std::vector<TimeRange> steps;
  std::vector<int64_t> lengths;
  for (size_t i = 0; i + 1 < begins.size(); ++i) {
    if (begins[i + 1] <= begins[i]) continue;
    steps.push_back({begins[i], begins[i + 1]});
    lengths.push_back(begins[i + 1] - begins[i]);
  }
  if (lengths.empty()) return steps;
  const HostNs last = std::min(end, AddSaturated(begins.back(), Median(std::move(lengths))));
  if (last > begins.back()) steps.push_back({begins.back(), last});
  return steps;
}

class Finder {
 public:
  Finder(const Profile& profile, const PhaseEvents& events, HostNs end)
      : profile_(profile),
        processes_(ByProcess(profile, events)),
        complete_(IsComplete(profile, events) && (!HasGaps(profile) || !events.launches.empty())),
        end_(std::max<HostNs>(end, 0)) {
    for (const PhaseOperation& operation : events.operations) {
      if (!operation.thread) continue;
      int64_t& sum = gpu_time_[profile.thread(operation.thread).process];
      sum = AddSaturated(sum, operation.end - operation.start);
    }
  }

  Phases Run() && {
    FindTrains();
    return std::move(*this).MakePhases();
  }

  Phases With(std::vector<StepTrain> trains) && {
    phases_.trains = std::move(trains);
    return std::move(*this).MakePhases();
  }

 private:
  Phases MakePhases() && {
    if (phases_.trains.empty() || !AreTogether()) {
      WithoutSteps();
    } else {
      WithSteps(phases_.trains[0]);
    }
    return std::move(phases_);
  }

  void FindTrains() {
    std::vector<NodeId> calls;
    if (complete_) calls = OptimizerCalls(profile_);
    for (const auto& entry : processes_) {
      const ProcessId process = entry.first;
      const auto& events = entry.second;
      if (!process) continue;
      StepTrain train;
      train.process = process;
      const auto found = [&](StepSource source, std::vector<TimeRange> steps) {
        KeepWithin(steps);
        if (steps.empty() || !HoldMost(events, steps)) return false;
        train.source = source;
        train.steps = std::move(steps);
        return true;
      };
      const bool any =
          found(StepSource::kMarkers, StepsByMarkers(profile_, events.markers)) ||
          (complete_ && (found(StepSource::kOptimizer, StepsByOptimizer(events, calls)) ||
                         found(StepSource::kLaunchPeriod, StepsByLaunches(profile_, events))));
      if (!any) continue;
      SetWarmUp(train);
      phases_.trains.push_back(std::move(train));
    }
    // The train of the process with the most GPU work comes first: phases are made from it.
    std::stable_sort(phases_.trains.begin(), phases_.trains.end(),
                     [&](const StepTrain& a, const StepTrain& b) {
                       return GpuTime(a.process) > GpuTime(b.process);
                     });
  }

  // True if the train of each process overlaps in time with the first train for at least half of
  // its own length, as those of ranks do. If programs train one after the other, no train
  // represents the run.
  bool AreTogether() const {
    const TimeRange leader = SpanOf(phases_.trains[0]);
    return std::all_of(phases_.trains.begin(), phases_.trains.end(), [&](const StepTrain& train) {
      const TimeRange own = SpanOf(train);
      const HostNs common = std::min(leader.end, own.end) - std::max(leader.begin, own.begin);
      return common >= (own.end - own.begin) / 2;
    });
  }

  static TimeRange SpanOf(const StepTrain& train) {
    return {train.steps.front().begin, train.steps.back().end};
  }

  // True if the process does enough of its GPU work in the steps for them to be its main loop.
  static bool HoldMost(const ProcessEvents& events, const std::vector<TimeRange>& steps) {
    double inside = 0, all = 0;
    for (const PhaseOperation& operation : events.operations) {
      const auto ns = static_cast<double>(operation.end - operation.start);
      const HostNs when = WhenLaunched(operation);
      all += ns;
      if (when >= steps.front().begin && when <= steps.back().end) inside += ns;
    }
    return inside >= kMaxOfTheWork * all;
  }

  int64_t GpuTime(ProcessId process) const {
    const auto found = gpu_time_.find(process);
    return found == gpu_time_.end() ? 0 : found->second;
  }

  void KeepWithin(std::vector<TimeRange>& steps) const {
    for (TimeRange& step : steps) {
      step.begin = std::clamp<HostNs>(step.begin, 0, end_);
      step.end = std::clamp<HostNs>(step.end, step.begin, end_);
    }
    std::erase_if(steps, [](const TimeRange& step) { return step.begin >= step.end; });
  }

  void Add(PhaseKind kind, HostNs begin, HostNs end) {
    if (begin < end) phases_.phases.push_back({kind, {begin, end}});
  }

  void WithSteps(const StepTrain& train) {
    const HostNs begin = train.steps.front().begin, end = train.steps.back().end;
    const HostNs steady = train.steps[train.warm_up].begin;
    Add(PhaseKind::kStartUp, 0, begin);
    Add(PhaseKind::kWarmUp, begin, steady);
    Add(PhaseKind::kSteady, steady, end);
    Add(PhaseKind::kEnd, end, end_);
  }

  void WithoutSteps() {
    HostNs first = end_;
    for (const auto& [process, events] : processes_) {
      for (const PhaseOperation& operation : events.operations) {
        first = std::min(first, operation.start);
      }
    }
    if (first >= end_) return;
    Add(PhaseKind::kStartUp, 0, std::max<HostNs>(first, 0));
    Add(PhaseKind::kWork, std::max<HostNs>(first, 0), end_);
  }

  const Profile& profile_;
  const std::map<ProcessId, ProcessEvents> processes_;
  std::map<ProcessId, int64_t> gpu_time_;  // of recorded work
  const bool complete_;                    // see IsComplete()
  const HostNs end_;
  Phases phases_;
};

}  // namespace

const char* PhaseName(PhaseKind kind) {
  switch (kind) {
    case PhaseKind::kStartUp:
      return "start-up";
    case PhaseKind::kWarmUp:
      return "warm-up";
    case PhaseKind::kSteady:
      return "steady";
    case PhaseKind::kEnd:
      return "end";
    case PhaseKind::kWork:
      return "work";
  }
  return "unknown";
}

const char* StepSourceName(StepSource source) {
  switch (source) {
    case StepSource::kMarkers:
      return "markers";
    case StepSource::kOptimizer:
      return "optimizer";
    case StepSource::kLaunchPeriod:
      return "launch period";
  }
  return "unknown";
}

const Phase* Phases::Find(PhaseKind kind) const {
  const auto found = std::find_if(phases.begin(), phases.end(),
                                  [=](const Phase& phase) { return phase.kind == kind; });
  return found == phases.end() ? nullptr : &*found;
}

bool HasGaps(const Profile& profile) {
  const auto counted = profile.quality.find("gpu_level_counted_ns");
  return counted != profile.quality.end() && counted->second > 0;
}

std::optional<StepAnchor> AnchorOf(const StepTrain& train, std::span<const PhaseLaunch> launches) {
  // Uses only the second half of the steps, because the first steps may begin differently.
  const size_t half = train.steps.size() / 2;
  std::map<HostNs, size_t> begins;
  for (size_t i = half; i < train.steps.size(); ++i) begins[train.steps[i].begin] = i;
  std::map<StepAnchor, size_t> at_begin, in_all;
  for (const PhaseLaunch& launch : launches) {
    if (launch.time < train.steps[half].begin || launch.time >= train.steps.back().end) continue;
    ++in_all[{launch.thread, launch.node}];
    if (begins.contains(launch.time)) ++at_begin[{launch.thread, launch.node}];
  }
  const size_t steps = train.steps.size() - half;
  const auto often =
      std::max_element(at_begin.begin(), at_begin.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  if (often == at_begin.end() || often->second < steps - steps / 10) return std::nullopt;
  const size_t all = in_all[often->first];
  return all <= steps + steps / 10 ? std::optional(often->first) : std::nullopt;
}

Phases ContinueSteps(const Profile& profile, const PhaseEvents& events, Phases found,
                     const LaterSteps& later, HostNs end) {
  std::vector<StepTrain> trains;
  for (size_t i = 0; i < found.trains.size(); ++i) {
    StepTrain& train = found.trains[i];
    const bool by_launches = train.source != StepSource::kMarkers;
    if (by_launches && !later[i]) continue;
    if (by_launches && !later[i]->empty()) {
      std::vector<HostNs> begins;
      for (const TimeRange& step : train.steps) begins.push_back(step.begin);
      begins.insert(begins.end(), later[i]->begin(), later[i]->end());
      train.steps = StepsFrom(begins, end);
      SetWarmUp(train);
    }
    trains.push_back(std::move(train));
  }
  return Finder(profile, events, end).With(std::move(trains));
}

Phases FindPhases(const Profile& profile, const PhaseEvents& events, HostNs end) {
  return Finder(profile, events, end).Run();
}

}  // namespace gprofx
