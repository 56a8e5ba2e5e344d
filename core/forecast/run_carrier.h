// Forecasts the time of each operation of a recording on another device. Used inside core/forecast
// only.
//
// Kernels are scaled as core/forecast/kernel.h describes. Copies scale with the rate of the link
// or, within a device, with the rate of its memory. Collectives follow the curves of
// core/forecast/collective.h; the message size is derived from the recorded time. If a kernel has
// too few blocks to occupy all multiprocessors, only part of its time scales and the rest stays
// unchanged. Copies of pageable memory stay unchanged because the host limits them. Pure.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/events/replay_events.h"
#include "core/forecast/recorded_kernels.h"
#include "core/forecast/run_change.h"
#include "core/model/profile.h"

namespace gprofx::forecast {

struct CarriedWork {
  int64_t ns = 0, low_ns = 0, high_ns = 0;
  KernelBound bound = KernelBound::kFloor;
};

// Why an operation could not be modelled. kNo = it was modelled.
enum class Untold : uint8_t { kNo, kUnknownWork, kPageable, kNoLink, kCollective, kNoType };
inline constexpr size_t kUntold = 6;

class RunCarrier {
 public:
  // All references must outlive the carrier. `gpus` is the number of GPUs in each collective.
  RunCarrier(const Profile& profile, const RecordedKernels& kernels, const ForecastTable& table,
             const Device& source, const Device& target, int gpus, const RunChange& change = {});

  CarriedWork Carry(const ReplayOperation& operation);
  Untold What(const ReplayOperation& operation) const;
  // True if every operation takes its recorded time.
  bool is_same() const { return carrier_.is_same() && !change_.any(); }

 private:
  CarriedWork Kernel(const ReplayOperation& operation, const RecordedKernel& kernel) const;
  CarriedWork Copy(const ReplayOperation& operation) const;
  CarriedWork Collective(const ReplayOperation& operation, const RecordedKernel& kernel);
  CarriedWork Streamed(double ms) const;
  bool GrowsWithBatch(NodeId node) const;

  const Profile& profile_;
  const RecordedKernels& kernels_;
  const ForecastTable& table_;
  const Device& source_;
  const Device& target_;
  KernelCarrier carrier_;
  int gpus_ = 2;
  RunChange change_;
  // By NodeId::index(): the optimizer call that contains the node, 0 = none. Set only if the batch
  // changes.
  std::vector<NodeId> optimizer_;
  std::unordered_map<uint64_t, double> collectives_;  // factor of the time, by node and time
};

}  // namespace gprofx::forecast
