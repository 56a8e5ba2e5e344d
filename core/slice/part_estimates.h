// What the GPU work of a part of a recording took where records of it were made for a part of the
// time (core/gpu/gpu_estimates.h): by the launches of each call path in the part, of which there is
// one row each, and by the work with records there. Work counts where it ran, of what was launched
// before the part, too; launches without a record take what others of their path take that were
// launched in the part, or, where none of these has a record, in the rest of the recording. Pure;
// one thread. Memory: 24 bytes for each of the launches that may have more work to come. Times are
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
  // What one launch put on the GPU begins within this time.
  static constexpr HostNs kTogether = 60'000'000'000;

  // `windows`: of the whole recording. The profile must outlive it.
  PartEstimates(const Profile& profile, TimeRange range, std::span<const LevelWindow> windows);

  // In any order; those outside of the range are left out.
  void AddLaunch(const PhaseLaunch& launch);
  // After all launches: all work of the recording, mostly in order, in as many pieces as wanted.
  // Twice: what has records at all must be known before it is said what they stand for.
  void AddTraced(std::span<const PhaseOperation> operations);
  void AddWork(std::span<const PhaseOperation> operations);
  // Where none that was launched in the part has a record, only what ran in it counts.
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
  size_t count_at_;             // so many that are not counted
  std::vector<Gaps> gaps_;      // by ProcessId::value
  std::vector<Traced> traced_;  // that are not counted yet
  GpuEstimates part_, elsewhere_;
};

}  // namespace gprofx
