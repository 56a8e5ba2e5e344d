// Classifies CPU samples by what the CPU did. The partition of the wall time uses the classes to
// say what the CPU did while no GPU was busy.
//
// The first match decides:
//   1. Profiling: see core/cost/profiling_time.h.
//   2. Data loading: some frame of the path is Python code of torch.utils.data or of a
//      multiprocessing queue.
//   3. CUDA call: the innermost frame lies in libcuda or libcudart.
//   4. Python: the innermost frame is a Python frame, or the thread held the GIL.
//   5. Native: anything else.
// The profile must not have been resolved (core/model/resolve.h). Each node is classified once. One
// thread. The profile must outlive the object; nodes may only be appended.
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

  // Returns the class of a sample at `node`. `state` holds the SampleState bits of the sample.
  HostClass Of(NodeId node, uint8_t state);
  bool IsProfiling(NodeId node) { return profiling_.Is(node); }
  // Returns the class of a sample in which the thread was not running. `node` is its Python stack.
  HostClass OfBlocked(NodeId node) {
    return Of(node, 0) == HostClass::kDataLoading ? HostClass::kDataLoading : HostClass::kBlocked;
  }

 private:
  enum Trait : uint8_t { kLoading = 1, kCuda = 2, kPython = 4 };

  uint8_t TraitsOf(const Frame& frame);
  bool IsLoadingFile(StringId file);

  const Profile& profile_;
  ProfilingStacks profiling_;
  std::vector<uint8_t> traits_;  // Trait bits by NodeId::index(); only kLoading is inherited
  std::unordered_map<uint32_t, bool> loading_files_;
  std::unordered_map<uint32_t, bool> cuda_modules_;
};

}  // namespace gprofx
