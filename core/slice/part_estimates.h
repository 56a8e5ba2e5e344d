// Estimates the GPU work in a slice of a recording, for recordings in which GPU work was recorded
// only part of the time.
//
// The method is that of core/gpu/gpu_estimates.h, applied to all launches of each call path in the
// slice and to the recorded work in the slice. Work counts where it ran, even if it was launched
// before the slice. A launch without a record is assumed to take as long as launches of the same
// path in the slice. If none of these has a record, launches in the rest of the recording are used.
// Pure; one thread. Memory: 24 bytes for each launch that may have more work to come. Times are
// HostNs.
#pragma once

#include <span>
#include <vector>

#include "core/gpu/gpu_estimates.h"
#include "core/gpu/level_windows.h"
#include "core/model/profile.h"
#include "core/steps/phases.h"

namespace gprofx {

class PartEstimates {
 public:
  // ns. Once work of a launch was added, work of launches that are earlier by more than this is
  // assumed to be complete.
  static constexpr HostNs kTogether = 60'000'000'000;

  // `windows` must be those of the whole recording. The profile must outlive the object.
  PartEstimates(const Profile& profile, TimeRange range, std::span<const LevelWindow> windows);

  // Adds a launch. Launches may come in any order; those outside the range are ignored.
  void AddLaunch(const PhaseLaunch& launch);
  // Both pass over all work of the recording, after all launches were added. AddTraced finds out
  // which launches have records; AddWork needs this to use their work as samples. Work may come in
  // any number of pieces, mostly in order of time.
  void AddTraced(std::span<const PhaseOperation> operations);
  void AddWork(std::span<const PhaseOperation> operations);
  // Returns the estimates. If no launch of the slice has a record, only work that ran in the slice
  // counts.
  std::vector<GpuEstimates::Row> Rows() const;

 private:
  struct Traced {
    HostNs launch;
    ThreadId thread;
    NodeId path;
    auto operator<=>(const Traced&) const = default;
  };

  uint32_t WindowOf(ProcessId process, HostNs time) const {
    return gaps_[process.value].Before(time);
  }
  bool IsIn(HostNs time) const { return time >= range_.begin && time < range_.end; }
  void CountTraced(HostNs before);
  void AddWork(const PhaseOperation& operation, NodeId path);

  const Profile& profile_;
  const TimeRange range_;
  const std::vector<NodeId> path_of_;
  size_t count_at_;             // traced_ is processed when it reaches this size
  std::vector<Gaps> gaps_;      // by ProcessId::value
  std::vector<Traced> traced_;  // launches with records that are not yet counted
  GpuEstimates part_, elsewhere_;
};

}  // namespace gprofx
