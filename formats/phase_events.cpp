#include "formats/phase_events.h"

#include <algorithm>
#include <array>

#include "core/choose_part.h"
#include "core/phases.h"
#include "formats/part_events.h"
#include "formats/part_read.h"

namespace gprofx {
namespace {

// The time up to which there are about so many launches; kLatest where there are no more. A program
// that is limited by its GPU has one long window.
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

// The first operations, by slices of time, until there are so many; the end of what was read.
Result<HostNs> ReadFirst(const ProfileSource& reader, const Profile& profile, int64_t most,
                         PartEvents& events) {
  std::vector<PhaseOperation>& first = events.events.operations;
  const std::vector<TimeRange> slices = SlicesOf(
      profile, {0, EndOfRecording(profile)}, std::min(most, kOperationsOfSlice));
  for (size_t i = 0; i < slices.size(); ++i) {
    const TimeRange slice{i == 0 ? kEarliest : slices[i].begin,
                          i + 1 == slices.size() ? kLatest : slices[i].end};
    const Status read = ForOperations(reader, profile, events, slice,
                                      [&](std::span<const PhaseOperation> some) {
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

// What steps that were found in the first launches begin with, from there on.
class LaterBegins {
 public:
  LaterBegins(const Phases& found, std::span<const PhaseLaunch> first) : found_(found) {
    for (const StepTrain& train : found.trains) {
      anchors_.push_back(AnchorOf(train, first));
      later_.emplace_back();
      if (anchors_.back()) later_.back().emplace();
    }
  }

  HostNs begin() const {  // earlier ones are of no use
    HostNs begin = kLatest;
    for (const StepTrain& train : found_.trains) begin = std::min(begin, train.steps.back().begin);
    return begin;
  }

  void LookAt(const PhaseLaunch& launch) {
    const auto at = std::find(anchors_.begin(), anchors_.end(), StepAnchor{launch.thread, launch.node});
    if (at == anchors_.end()) return;
    const auto train = static_cast<size_t>(at - anchors_.begin());
    if (launch.time > found_.trains[train].steps.back().begin) later_[train]->push_back(launch.time);
  }

  LaterSteps Take() && {  // work has an order of its own
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

}  // namespace

Result<Phases> FindPhasesOf(const ProfileSource& reader, const Profile& profile, PartEvents& events,
                            int64_t most_launches) {
  const HostNs end = EndOfRecording(profile);
  const bool has_gaps = HasGaps(profile);
  HostNs seen = kLatest;  // up to here launches were looked at
  if (!events.has_operations) {
    const Result<HostNs> read = ReadFirst(reader, profile, most_launches, events);
    if (!read) return read.error();
    seen = *read;
  }
  std::vector<PhaseLaunch> launches;
  if (has_gaps) {
    seen = EndOfFirst(most_launches, events.windows);
    const Status read =
        ReadLaunches(reader, kEarliest, seen,
                     [&](const PhaseLaunch& launch) { launches.push_back(launch); });
    if (!read) return read.error();
    events.events.launches = launches;
  }
  Phases found = FindPhases(profile, events.events, end);
  if (seen == kLatest || found.trains.empty()) return found;
  if (!has_gaps) {
    for (const PhaseOperation& each : events.events.operations) launches.push_back(LaunchOf(each));
  }
  LaterBegins later(found, launches);
  const auto look_at = [&](const PhaseLaunch& launch) { later.LookAt(launch); };
  Status read = Ok();
  if (has_gaps) {
    std::for_each(launches.begin(), launches.end(), look_at);
    read = ReadLaunches(reader, seen, kLatest, look_at);
  } else {
    read = ForOperations(reader, profile, events, {later.begin(), kLatest},
                         [&](std::span<const PhaseOperation> some) {
                           for (const PhaseOperation& each : some) look_at(LaunchOf(each));
                         });
  }
  if (!read) return read.error();
  return ContinueSteps(profile, events.events, found, std::move(later).Take(), end);
}

}  // namespace gprofx
