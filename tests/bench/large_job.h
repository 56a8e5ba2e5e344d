// A large recording of a training job that never was, second by second, for benchmarks of whoever
// writes or reads profiles.
//
// 16 threads at 997 Hz with scheduling jitter; 30,000 nodes, every third one Python, of which a
// handful takes half of the time; 400 kernels in the order of a model, ten steps a second, launched
// by two threads on two streams, the last ones of each step by an optimizer. The same each time.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "core/gpu/gpu_overlap.h"
#include "formats/profile/profile_db.h"

namespace gprofx::bench {

inline constexpr HostNs kSecond = 1'000'000'000;

class LargeJob {
 public:
  explicit LargeJob(uint32_t threads = 16);

  // What is in them is added to the profile's values, too.
  std::vector<SampleRow> SamplesOfSecond(int64_t second);
  EventTable KernelsOfSecond(int64_t second, int64_t count);
  // Before the file is finished.
  void Describe(int64_t seconds, int64_t working_from);

  int64_t samples_per_second() const;

  Profile profile;

 private:
  void MakeTree();
  void MakeGpu();
  uint32_t SkewedNode();

  uint32_t threads_;
  std::vector<NodeId> kernel_nodes_;
  MetricId cpu_, samples_, gpu_, operations_, overlapped_;
  GpuOverlap overlap_;
  std::mt19937_64 random_{2};
  std::vector<uint32_t> at_;  // the node of each thread
  HostNs gpu_free_[2] = {};   // by stream
  uint32_t launches_ = 0;
};

}  // namespace gprofx::bench
