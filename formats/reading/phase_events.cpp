#include "formats/reading/phase_events.h"

#include <algorithm>
#include <tuple>

#include "core/base/arithmetic.h"
#include "core/slice/choose_part.h"
#include "core/steps/phases.h"
#include "core/steps/start_up.h"
#include "formats/reading/part_events.h"
#include "formats/reading/part_read.h"

namespace gprofx {
namespace {

// Returns the time by which about `most_launches` launches have happened; kLatest if there are no
// more. Launches are assumed to be evenly spread over a window: a program that is limited by its
// GPU may have a single long window.
HostNs EndOfFirst(int64_t most_launches, std::vector<LevelWindow> windows) {
  std::sort(windows.begin(), windows.end(),
            [](const LevelWindow& a, const LevelWindow& b) { return a.begin < b.begin; });
  int64_t launches = 0;
  for (const LevelWindow& window : windows) {
    if (window.launches > most_launches - launches) {
      const double part =
          static_cast<double>(most_launches - launches) / static_cast<double>(window.launches);
      return window.begin +
             static_cast<HostNs>(part * static_cast<double>(window.end - window.begin));
    }
    launches += window.launches;
  }
  return kLatest;
}

// Reads the first operations, slice by slice, until there are at least `most`. Returns the end of
// the time that it has read.
Result<HostNs> ReadFirst(const ProfileSource& reader, const Profile& profile, int64_t most,
                         PartEvents& events) {
  std::vector<PhaseOperation>& first = events.events.operations;
  const std::vector<TimeRange> slices =
      SlicesOf(profile, {0, EndOfRecording(profile)}, std::min(most, kOperationsOfSlice));
  for (size_t i = 0; i < slices.size(); ++i) {
    const TimeRange slice = Outwards(slices, i);
    const Status read =
        ForOperations(reader, profile, events, slice, [&](std::span<const PhaseOperation> some) {
          first.insert(first.end(), some.begin(), some.end());
        });
    if (!read) return read.error();
    if (static_cast<int64_t>(first.size()) >= most) return slice.end;
  }
  return kLatest;
}

PhaseLaunch LaunchOf(const PhaseOperation& operation) {
  return {operation.launch > 0 ? operation.launch : operation.start, operation.thread,
          operation.node};
}

// Collects the later launches that begin a step of the step trains (core/steps/phases.h) in
// `found`, which was found in the launches `first`. Launches of a train's anchor (a thread and a
// node) begin its steps.
class LaterBegins {
 public:
  LaterBegins(const Phases& found, std::span<const PhaseLaunch> first) : found_(found) {
    for (const StepTrain& train : found.trains) {
      anchors_.push_back(AnchorOf(train, first));
      later_.emplace_back();
      if (anchors_.back()) later_.back().emplace();
    }
  }

  HostNs begin() const {  // launches before this are not needed
    HostNs begin = kLatest;
    for (const StepTrain& train : found_.trains) begin = std::min(begin, train.steps.back().begin);
    return begin;
  }

  void LookAt(const PhaseLaunch& launch) {
    const auto at =
        std::find(anchors_.begin(), anchors_.end(), StepAnchor{launch.thread, launch.node});
    if (at == anchors_.end()) return;
    const auto train = static_cast<size_t>(at - anchors_.begin());
    if (launch.time > found_.trains[train].steps.back().begin)
      later_[train]->push_back(launch.time);
  }

  LaterSteps Take() && {  // sorts first, because GPU work is not in order of launch
    for (auto& begins : later_) {
      if (!begins) continue;
      std::sort(begins->begin(), begins->end());
      begins->erase(std::unique(begins->begin(), begins->end()), begins->end());
    }
    return std::move(later_);
  }

 private:
  const Phases& found_;
  std::vector<std::optional<StepAnchor>> anchors_;
  LaterSteps later_;
};

// Reads all operations, however many. Used if the steps found in the first part of the recording do
// not continue in the rest.
Status HoldAll(const ProfileSource& reader, const Profile& profile, PartEvents& events) {
  Result<std::vector<PhaseOperation>> all = ReadOperations(reader, profile);
  if (!all) return all.error();
  events.events.operations = std::move(*all);
  events.has_operations = true;
  return Ok();
}

// True if the steps continue: `found` has as many trains as `first`, each for at least half of the
// time from the first operation to `end`.
bool GoOn(const Phases& first, const Phases& found, const PartEvents& events, HostNs end) {
  if (found.trains.size() != first.trains.size() || found.trains.empty()) return false;
  HostNs begin = end;
  for (const PhaseOperation& each : events.events.operations) begin = std::min(begin, each.start);
  return std::all_of(found.trains.begin(), found.trains.end(), [&](const StepTrain& train) {
    return SubtractSaturated(train.steps.back().end, train.steps.front().begin) >=
           SubtractSaturated(end, begin) / 2;
  });
}

Result<Phases> FindByLaunches(const ProfileSource& reader, const Profile& profile,
                              PartEvents& events, int64_t most) {
  const HostNs end = EndOfRecording(profile);
  const HostNs seen = EndOfFirst(most, events.windows);
  std::vector<PhaseLaunch>& launches = events.events.launches;
  Status read = ReadLaunches(reader, kEarliest, seen,
                             [&](const PhaseLaunch& launch) { launches.push_back(launch); });
  if (!read) return read.error();
  Phases found = FindPhases(profile, events.events, end);
  if (seen == kLatest || found.trains.empty()) return found;
  LaterBegins later(found, launches);
  const auto look_at = [&](const PhaseLaunch& launch) { later.LookAt(launch); };
  std::for_each(launches.begin(), launches.end(), look_at);
  read = ReadLaunches(reader, seen, kLatest, look_at);
  if (!read) return read.error();
  return ContinueSteps(profile, events.events, found, std::move(later).Take(), end);
}

// Finds the phases from GPU operations. Reads at most `most` operations for each process that uses
// a GPU, or all if the steps found in these do not continue.
Result<Phases> FindByOperations(const ProfileSource& reader, const Profile& profile,
                                PartEvents& events, int64_t most) {
  const HostNs end = EndOfRecording(profile);
  const auto processes = static_cast<int64_t>(std::max<size_t>(profile.gpu.contexts.size(), 1));
  const Result<HostNs> seen = ReadFirst(reader, profile, most * processes, events);
  if (!seen) return seen.error();
  const Phases first = FindPhases(profile, events.events, end);
  if (*seen == kLatest) return first;
  std::vector<PhaseLaunch> launches;  // each launch once, however many operations it has
  for (const PhaseOperation& each : events.events.operations) launches.push_back(LaunchOf(each));
  const auto key = [](const PhaseLaunch& launch) {
    return std::tuple(launch.time, launch.thread, launch.node);
  };
  std::sort(launches.begin(), launches.end(),
            [&](const PhaseLaunch& a, const PhaseLaunch& b) { return key(a) < key(b); });
  launches.erase(
      std::unique(launches.begin(), launches.end(),
                  [&](const PhaseLaunch& a, const PhaseLaunch& b) { return key(a) == key(b); }),
      launches.end());
  LaterBegins later(first, launches);
  const Status read = ForOperations(reader, profile, events, {later.begin(), kLatest},
                                    [&](std::span<const PhaseOperation> some) {
                                      for (const PhaseOperation& each : some)
                                        later.LookAt(LaunchOf(each));
                                    });
  if (!read) return read.error();
  Phases found = ContinueSteps(profile, events.events, first, std::move(later).Take(), end);
  if (GoOn(first, found, events, end)) return found;
  if (Status held = HoldAll(reader, profile, events); !held) return held.error();
  return FindPhases(profile, events.events, end);
}

Result<std::vector<Phase>> FindStartUp(const ProfileSource& reader, const Profile& profile) {
  StartUp start_up(profile, EndOfRecording(profile));
  if (!start_up.HasImports()) return std::vector<Phase>();
  const Result<int64_t> read = reader.Samples(
      kEarliest, kLatest, [&](std::span<const SampleRow> samples) { start_up.Add(samples); });
  if (!read) return read.error();
  return start_up.Phases();
}

Result<Phases> FindByWork(const ProfileSource& reader, const Profile& profile, PartEvents& events,
                          int64_t most_launches) {
  if (!HasGaps(profile)) {
    if (!events.has_operations) return FindByOperations(reader, profile, events, most_launches);
    return FindPhases(profile, events.events, EndOfRecording(profile));
  }
  if (!events.has_operations && profile.sources.size() > 1) {
    // In a merged profile, some processes may have records of single launches, and others only
    // records of their GPU work. Operations are then needed, too.
    if (Status held = HoldAll(reader, profile, events); !held) return held.error();
  } else if (!events.has_operations) {
    const Result<HostNs> read = ReadFirst(reader, profile, most_launches, events);
    if (!read) return read.error();
  }
  return FindByLaunches(reader, profile, events, most_launches);
}

}  // namespace

Result<Phases> FindPhasesOf(const ProfileSource& reader, const Profile& profile, PartEvents& events,
                            int64_t most_launches) {
  Result<Phases> found = FindByWork(reader, profile, events, most_launches);
  if (!found || !found->phases.empty() || !found->trains.empty()) return found;
  Result<std::vector<Phase>> start_up = FindStartUp(reader, profile);
  if (!start_up) return start_up.error();
  found->phases = std::move(*start_up);
  return found;
}

}  // namespace gprofx
