// The work of the kernels of a recording. It comes from the first of these sources that is
// available (WorkSource):
//   - kShapes: the shapes of the arguments of the operator that launched the kernel.
//   - kName: the kernel's name, which says what limits its kind of work.
//   - kStalls: the stalls of instruction samples.
//
// Without any (kNothing), the work is unknown. Pure; linear in the profile and its events. One
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
  bool streams = false;        // limited by memory: `bytes` is estimated from its time
  bool computes = false;       // limited by arithmetic: `flop` is estimated from its time
  bool tf32 = false;           // a product of FP32 numbers at half the rate of `type`
  bool no_type = false;        // type unsupported before Ampere: TF32, bfloat16
  double flop = 0, bytes = 0;  // per launch; 0 = unknown
  NumberType type = NumberType::kFp32;
  double memory_share = 0.5;  // if `flop` and `bytes` are unknown and it does not stream
  bool mixed = false;         // `memory_share` was measured for its kind of kernel
};

class RecordedKernels {
 public:
  // Uses the whole recording, because operators have no times. Keeps a reference to the profile,
  // but not to the events.
  RecordedKernels(const Profile& profile, const ReplayEvents& events);

  // Returns the bytes read and written by one launch of an elementwise kernel; 0 = unknown
  // (core/kernels/launch_work.h).
  double LaunchBytes(NodeId node, GpuConfigId config) const;
  // `node` is that of a kernel or a copy.
  const RecordedKernel& At(NodeId node) const;

 private:
  const Profile& profile_;
  ThreadWork work_ = ThreadWork::kUnknown;
  mutable std::unordered_map<uint64_t, double> bytes_;  // by frame and configuration
  std::vector<RecordedKernel> kernels_;                 // [0] is the unknown kernel
  std::vector<uint32_t> of_node_;                       // by NodeId::index(); position in kernels_
};

}  // namespace gprofx::forecast
