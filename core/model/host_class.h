// Classifies a call path by what the CPU did in a sample, for the idle parts of the wall partition.
//
// The first match wins. Profiling: see core/cost/profiling_time.h. Data loading: a Python frame of
// torch.utils.data or of a multiprocessing queue. CUDA call: the innermost frame lies in libcuda or
// libcudart. Python: the innermost frame is a Python frame, or the thread held the GIL. Otherwise
// native. Works on the raw profile and classifies each node once. One thread. The profile must
// outlive the object; nodes may only be appended.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/cost/profiling_time.h"
#include "core/model/profile.h"
#include "core/wall/wall_partition.h"

namespace gprofx {

class HostClasses {
 public:
  explicit HostClasses(const Profile& profile) : profile_(profile), profiling_(profile) {}

  // `state` as in SampleRow.
  HostClass Of(NodeId node, uint8_t state);
  bool IsProfiling(NodeId node) { return profiling_.Is(node); }
  // The class of a thread that is not running; `node` is its Python stack.
  HostClass OfBlocked(NodeId node) {
    return Of(node, 0) == HostClass::kDataLoading ? HostClass::kDataLoading : HostClass::kBlocked;
  }

 private:
  enum Trait : uint8_t { kLoading = 1, kCuda = 2, kPython = 4 };

  uint8_t TraitsOf(const Frame& frame);
  bool IsLoadingFile(StringId file);

  const Profile& profile_;
  ProfilingStacks profiling_;
  std::vector<uint8_t> traits_;  // by NodeId::index(); kLoading is inherited
  std::unordered_map<uint32_t, bool> loading_files_;
  std::unordered_map<uint32_t, bool> cuda_modules_;
};

}  // namespace gprofx
