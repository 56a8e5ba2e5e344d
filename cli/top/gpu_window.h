// Implements the GPU side of gprof-x top: kernels, what kept the GPUs busy, and why they were idle.
//
// Records of GPU work arrive late. The interval of the GPU therefore differs from that of the CPU:
// it ends with the latest record, but at most kMaxBehind ago. Work that began before the interval
// counts only with its time inside it. The causes of idle time are found as in a report
// (core/wall/wall_partition.h): waiting calls come first, then the CPU samples of threads that use
// a GPU. Pure; one thread; keeps the rows of one interval.
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
  static constexpr HostNs kMin = 200'000'000;  // minimum length of an interval

  void Take(const Profile& profile, const EventTable& rows);
  void Take(const Profile& profile, const GpuTimeline& gpu, std::span<const SampleRow> rows);

  // Sets `snapshot.gpu` and `snapshot.kernels`, and begins a new interval. If less than kMin has
  // passed, both keep their previous values.
  void Finish(const Profile& profile, HostNs now, Snapshot& snapshot);

 private:
  struct Sample {
    HostNs time = 0;
    HostClass what{};
    int64_t weight = 0;
  };
  void MakeGpu(const Profile& profile, HostNs end, HostNs now);
  void MakeKernels(const Profile& profile, HostNs end, const std::string& focus);

  PartEvents rows_;  // work, waits, times of full queues, and windows in the open interval
  std::vector<Sample> samples_;
  std::optional<HostClasses> classes_;  // set as soon as the profile is known
  HostNs begin_ = -1, latest_ = 0;
  std::optional<TopGpu> gpu_;
  std::vector<TopKernel> kernels_;
};

}  // namespace gprofx
