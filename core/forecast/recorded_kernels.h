// Finds the work of the kernels of a recording. The work comes from the first of these sources
// (WorkSource) that is available:
//   - kShapes: the shapes of the arguments of the operator that launched the kernel.
//   - kName: the kernel's name, which indicates what limits this kind of kernel.
//   - kStalls: the stalls in instruction samples.
//
// If none is available (kNothing), the work is unknown. Pure; one thread. Cost: linear in the
// profile and its events.
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
  bool streams = false;        // limited by memory: `bytes` is estimated from its time
  bool computes = false;       // limited by arithmetic: `flop` is estimated from its time
  bool tf32 = false;           // a product of FP32 numbers in TF32, at half the rate of `type`
  bool no_type = false;        // needs TF32 or bfloat16, which devices before Ampere do not support
  double flop = 0, bytes = 0;  // per launch; 0 = unknown
  NumberType type = NumberType::kFp32;
  double memory_share = 0.5;  // as in MeasuredKernel, if `flop` and `bytes` are unknown
  bool mixed = false;         // true if `memory_share` was measured for this kind of kernel
};

class RecordedKernels {
 public:
  // `events` must be those of the whole recording, because operators have no times. Keeps a
  // reference to `profile`, but not to `events`.
  RecordedKernels(const Profile& profile, const ReplayEvents& events);

  // Returns the bytes read and written by one launch of an elementwise kernel; 0 = unknown
  // (core/kernels/launch_work.h).
  double LaunchBytes(NodeId node, GpuConfigId config) const;
  // Returns the work of the kernel or copy at `node`.
  const RecordedKernel& At(NodeId node) const;

 private:
  const Profile& profile_;
  ThreadWork work_ = ThreadWork::kUnknown;
  mutable std::unordered_map<uint64_t, double> bytes_;  // by frame and launch configuration
  std::vector<RecordedKernel> kernels_;                 // kernels_[0] is the unknown kernel
  std::vector<uint32_t> of_node_;                       // position in kernels_, by NodeId::index()
};

}  // namespace gprofx::forecast
