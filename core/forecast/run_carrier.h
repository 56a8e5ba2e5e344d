// The time of each operation of a recording on another device. Used inside core/forecast only.
//
// Kernels by core/forecast/kernel.h; copies by the rate of the link, within a device by that of its
// memory; collectives by the curves of core/forecast/collective.h, at the size that their time
// tells. What a kernel of few blocks takes is not what rates explain: the part that would leave
// multiprocessors idle stays as it is. Copies of pageable memory are the host's work. Pure.
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

// What of the work could not be told.
enum class Untold : uint8_t { kNo, kUnknownWork, kPageable, kNoLink, kCollective, kNoType };
inline constexpr size_t kUntold = 6;

class RunCarrier {
 public:
  // What is given must outlive the carrier. `gpus`: that take part in collectives.
  RunCarrier(const Profile& profile, const RecordedKernels& kernels, const ForecastTable& table,
             const Device& source, const Device& target, int gpus, const RunChange& change = {});

  CarriedWork Carry(const ReplayOperation& operation);
  Untold What(const ReplayOperation& operation) const;
  // Everything takes what was recorded.
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
  std::vector<NodeId> optimizer_;  // by NodeId::index(): 0 = in none; with a batch
  std::unordered_map<uint64_t, double> collectives_;  // by node and time: how much longer
};

}  // namespace gprofx::forecast
