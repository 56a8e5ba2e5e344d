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

}  // namespace

Result<Phases> FindPhasesOf(const ProfileSource& reader, const Profile& profile, PartEvents& events,
                            int64_t most_launches) {
  const HostNs end = EndOfRecording(profile);
  if (!HasGaps(profile)) return FindPhases(profile, events.events, end);
  const HostNs seen = EndOfFirst(most_launches, events.windows);
  std::vector<PhaseLaunch>& launches = events.events.launches;
  Status read = ReadLaunches(reader, kEarliest, seen,
                             [&](const PhaseLaunch& launch) { launches.push_back(launch); });
  if (!read) return read.error();
  Phases found = FindPhases(profile, events.events, end);
  if (seen == kLatest || found.trains.empty()) return found;
  std::vector<std::optional<StepAnchor>> anchors;
  LaterSteps later;
  for (const StepTrain& train : found.trains) {
    anchors.push_back(AnchorOf(train, launches));
    later.emplace_back();
    if (anchors.back()) later.back().emplace();
  }
  const auto look_at = [&](const PhaseLaunch& launch) {
    const auto at = std::find(anchors.begin(), anchors.end(), StepAnchor{launch.thread, launch.node});
    if (at == anchors.end()) return;
    const auto train = static_cast<size_t>(at - anchors.begin());
    if (launch.time > found.trains[train].steps.back().begin) later[train]->push_back(launch.time);
  };
  for (const PhaseLaunch& launch : launches) look_at(launch);
  read = ReadLaunches(reader, seen, kLatest, look_at);
  if (!read) return read.error();
  return ContinueSteps(profile, events.events, std::move(found), later, end);
}

}  // namespace gprofx
