// The GPU side of gprof-x top: kernels, what kept the GPUs busy, and why they were idle.
//
// Records of GPU work come late, so the GPU's interval is not that of the CPU: it ends with the
// latest record, or kMaxBehind ago where nothing runs. Of work that began before it the part inside
// counts. Why no GPU was busy is worked out as in a report (core/wall/wall_partition.h): waiting
// calls first, then the CPU samples of threads that use a GPU. Pure; one thread; keeps one interval
// of rows.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/top/snapshot.h"
#include "core/events/events.h"
#include "core/gpu/gpu_timeline.h"
#include "core/model/host_class.h"
#include "core/model/profile.h"
#include "core/slice/part_builder.h"

namespace gprofx {

class GpuWindow {
 public:
  static constexpr HostNs kMaxBehind = 3'000'000'000;
  static constexpr HostNs kMin = 200'000'000;  // of an interval

  void Take(const Profile& profile, const EventTable& rows);
  void Take(const Profile& profile, const GpuTimeline& gpu, std::span<const SampleRow> rows);

  // Fills `snapshot.gpu` and `snapshot.kernels`, and begins anew; where less than kMin of time
  // came, they stay as they were the last time.
  void Finish(const Profile& profile, HostNs now, Snapshot& snapshot);

 private:
  struct Sample {
    HostNs time = 0;
    HostClass what{};
    int64_t weight = 0;
  };
  void MakeGpu(const Profile& profile, HostNs end, HostNs now);
  void MakeKernels(const Profile& profile, HostNs end, const std::string& focus);

  PartEvents rows_;  // work, waits, full queues and windows that reach into the open interval
  std::vector<Sample> samples_;
  std::optional<HostClasses> classes_;  // needs the profile
  HostNs begin_ = -1, latest_ = 0;
  std::optional<TopGpu> gpu_;
  std::vector<TopKernel> kernels_;
};

}  // namespace gprofx
