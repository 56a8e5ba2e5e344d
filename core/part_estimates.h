// What the GPU work of a part of a recording took where records of it were made for a part of the
// time (core/gpu_estimates.h): by the launches of each call path in the part, of which there is one
// row each, and by the work with records there. Work counts where it ran, of what was launched before
// the part, too; launches without a record take what others of their path take that were launched in
// the part, or, where none of these has a record, in the rest of the recording. Pure; one thread.
// Times are HostNs.
#pragma once

#include <span>
#include <vector>

#include "core/gpu_estimates.h"
#include "core/level_windows.h"
#include "core/phases.h"
#include "core/profile.h"

namespace gprofx {

class PartEstimates {
 public:
  // `windows`: of the whole recording. The profile must outlive it.
  PartEstimates(const Profile& profile, TimeRange range, std::span<const LevelWindow> windows);

  // In any order; those outside of the range are left out.
  void AddLaunch(const PhaseLaunch& launch);
  // `operations`: of the whole recording, mostly in order. Where none that was launched in the part has
  // a record, only what ran in it counts.
  std::vector<GpuEstimates::Row> Rows(std::span<const PhaseOperation> operations) const;

 private:
  uint32_t WindowOf(ProcessId process, HostNs time) const { return gaps_[process.value].Before(time); }
  bool IsIn(HostNs time) const { return time >= range_.begin && time < range_.end; }
  void AddTraced(std::span<const PhaseOperation> operations, std::span<const NodeId> path_of,
                 GpuEstimates& part, GpuEstimates& elsewhere) const;
  void AddWork(const PhaseOperation& operation, NodeId path, GpuEstimates& part,
               GpuEstimates& elsewhere) const;

  const Profile& profile_;
  const TimeRange range_;
  std::vector<Gaps> gaps_;  // by ProcessId::value
  GpuEstimates launches_;
};

}  // namespace gprofx
