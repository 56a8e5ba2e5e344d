// What the kernels of a recording have to do, as far as the recording tells it. In this order: the
// shapes of an operator's arguments; the kernel's name, which says what limits work of its kind;
// the stalls of instruction samples; nothing. Pure; linear in the profile and its events. One
// thread.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/events/replay_events.h"
#include "core/forecast/kernel.h"
#include "core/kernels/kernel_family.h"
#include "core/kernels/launch_work.h"
#include "core/model/profile.h"

namespace gprofx::forecast {

enum class WorkSource : uint8_t { kShapes, kName, kStalls, kNothing };
std::string_view WorkSourceWord(WorkSource source);  // "shapes", "name", "stalls", "nothing"

struct RecordedKernel {
  std::string name;  // short: "gemm bf16 128x128 tn"
  KernelFamily family = KernelFamily::kOther;
  WorkSource source = WorkSource::kNothing;
  bool streams = false;   // memory limits it: its bytes are what memory moves in its time
  bool computes = false;  // arithmetic limits it: its FLOP are what is computed in its time
  bool tf32 = false;      // a product of FP32 numbers at half the rate of `type`
  bool no_type = false;   // runs in a type that devices before Ampere do not have: TF32, bfloat16
  double flop = 0, bytes = 0;  // of one run; 0 = unknown
  NumberType type = NumberType::kFp32;
  double memory_share = 0.5;  // where neither is known and it does not stream
  bool mixed = false;         // `memory_share` is that of its kind
};

class RecordedKernels {
 public:
  // Of the whole recording: operators have no times. The profile is kept, events are not.
  RecordedKernels(const Profile& profile, const ReplayEvents& events);

  // Of an elementwise kernel's launch, read and written; 0 = not told (core/kernels/launch_work.h).
  double LaunchBytes(NodeId node, GpuConfigId config) const;
  // Of a kernel's node, or a copy's.
  const RecordedKernel& At(NodeId node) const;

 private:
  const Profile& profile_;
  ThreadWork work_ = ThreadWork::kUnknown;
  mutable std::unordered_map<uint64_t, double> bytes_;  // by frame and configuration
  std::vector<RecordedKernel> kernels_;                 // the first is of what is unknown
  std::vector<uint32_t> of_node_;                       // by NodeId::index(): position in kernels_
};

}  // namespace gprofx::forecast
