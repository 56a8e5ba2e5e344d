// Passes single events to exporters: GPU work (kernels, copies and memsets in one struct), CUDA
// calls of host threads that took time, and ranges that the program named. All events are cut to
// the exported range.
//
// The durations of GPU work add up to the metric "gpu" of the same range, to the nanosecond. The
// durations of waiting calls add up to "gpu_wait". Events come in file order, which is nearly time
// order.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/model/profile.h"
#include "formats/exporters/exporter.h"
#include "formats/exporters/who.h"

namespace gprofx::exporters {

struct GpuWork {
  enum class Kind : uint8_t { kKernel, kCopy, kSet } kind = Kind::kKernel;
  HostNs start = 0;
  int64_t duration = 0;
  HostNs launch = 0;  // start of the launching call; 0 = unknown
  uint32_t thread = 0, node = 0, stream = 0;
  uint32_t config = 0;                             // set for kernels
  int64_t bytes = 0;                               // set for copies and memsets
  uint32_t copy_kind = 0, source = 0, target = 0;  // CUPTI's numbers; a memset has only `target`
  uint32_t correlation = 0;
};

struct HostMark {
  enum class Kind : uint8_t {
    kWait,   // a CUDA call that waits for the GPU
    kCall,   // a call that loads code, allocates or waits for a full launch queue
    kRange,  // a range that the program named; may contain others
  } kind = Kind::kCall;
  HostNs start = 0;
  int64_t duration = 0;
  uint32_t thread = 0, node = 0;  // a range has no node
  StringId name, domain;          // only ranges have a domain
};

Status ForEachGpuWork(const ExportJob& job, const std::function<void(const GpuWork&)>& sink);
// Passes the calls and the ranges to `sink`: first all calls, then all ranges.
Status ForEachHostMark(const ExportJob& job, const std::function<void(const HostMark&)>& sink);

struct ShownStream {
  std::string name;      // "GPU 0, stream 7"
  uint32_t process = 0;  // position in Who::processes
  uint32_t gpu = 0;      // number in nvidia-smi; if unknown, the number of GPUs
  uint32_t context = 0, number = 0;
};
// Returns the streams, by GpuStreamId::value; element 0 is the unknown stream.
std::vector<ShownStream> ShownStreams(const Profile& profile, const Who& who);

// True if the thread waits for the GPU in the CUDA call at `node`.
bool IsWait(const Profile& profile, uint32_t node);

// Returns the name that reports show: that of the kernel, or the direction of the copy.
std::string WorkName(const Profile& profile, const GpuWork& work);

// Returns a text like "grid 128 1 1, block 256 1 1, 32 registers, 1024 B shared".
std::string ConfigText(const GpuKernelConfig& config);

// Assigns rows to work that overlaps. On some GPUs, work of one stream can overlap, but viewers
// cannot draw overlapping work in one row. Place() returns the row of an event, counted from 0.
// Place events in approximate time order.
class Rows {
 public:
  // The last row takes all work for which no other row is free.
  static constexpr size_t kMaxRows = 256;
  size_t Place(HostNs start, HostNs end);

 private:
  std::vector<HostNs> ends_;
};

}  // namespace gprofx::exporters
