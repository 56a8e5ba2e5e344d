// What the CPU did in a sample, for the idle parts of the wall partition: class of a call path.
//
// Profiling: core/cost/profiling_time.h. Else data loading: a Python frame of torch.utils.data or
// of a multiprocessing queue. CUDA call: the innermost frame lies in libcuda or libcudart. Python:
// the innermost frame is Python's, or the thread held the interpreter's lock. Else native. Works on
// the raw profile, each node is looked at once. One thread; the profile must outlive it and only
// grow.
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
  // Of a thread that does not run, `node` its Python frames.
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
