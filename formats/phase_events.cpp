#include "formats/phase_events.h"

#include <algorithm>
#include <array>

#include "core/choose_part.h"
#include "core/phases.h"
#include "formats/part_read.h"

namespace gprofx {
namespace {

template <class Take>
Status ReadLaunches(const ProfileSource& reader, HostNs begin, HostNs end, const Take& take) {
  static constexpr std::array<size_t, 3> kColumns = {column::kLaunchTime, column::kLaunchThread,
                                                     column::kLaunchNode};
  const Result<int64_t> rows =
      reader.Events(Stream::kGpuLaunches, kColumns, begin, end, [&](const EventTable& table) {
        for (size_t i = 0, all = table.rows(); i < all; ++i) {
          const HostNs time = table.column(column::kLaunchTime)[i];
          if (time < begin || time >= end) continue;
          take(PhaseLaunch{time,
                           ThreadId{static_cast<uint32_t>(table.column(column::kLaunchThread)[i])},
                           NodeId{static_cast<uint32_t>(table.column(column::kLaunchNode)[i])}});
        }
      });
  if (!rows) return rows.error();
  return Ok();
}

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
