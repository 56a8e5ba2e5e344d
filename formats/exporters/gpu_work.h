// Passes single events to exporters: GPU work (one struct for kernels, copies and memsets), CUDA
// calls on host threads that took time, and ranges that the program named. All events are cut at
// the exported range.
//
// The durations of GPU work add up to the metric "gpu" of the same range, to the nanosecond; those
// of waiting calls add up to "gpu_wait". Events come in file order, which is nearly time order.
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
  uint32_t config = 0;                             // kernels only
  int64_t bytes = 0;                               // copies and memsets
  uint32_t copy_kind = 0, source = 0, target = 0;  // CUPTI's numbers; memsets: target only
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
// Passes all calls first, then all ranges.
Status ForEachHostMark(const ExportJob& job, const std::function<void(const HostMark&)>& sink);

struct ShownStream {
  std::string name;      // "GPU 0, stream 7"
  uint32_t process = 0;  // position in Who::processes
  uint32_t gpu = 0;      // nvidia-smi's number; number of GPUs if unknown
  uint32_t context = 0, number = 0;
};
// Returns the streams, indexed by GpuStreamId::value; [0] is the unknown stream.
std::vector<ShownStream> ShownStreams(const Profile& profile, const Who& who);

// True if the thread waits for the GPU in the CUDA call at `node`.
bool IsWait(const Profile& profile, uint32_t node);

// Returns the name that the report shows: the name of the kernel, or the direction of the copy.
std::string WorkName(const Profile& profile, const GpuWork& work);

// Returns a text like "grid 128 1 1, block 256 1 1, 32 registers, 1024 B shared".
std::string ConfigText(const GpuKernelConfig& config);

// Assigns rows to work that overlaps. On some GPUs, work of one stream can overlap, but viewers
// draw rows without overlap. Place() returns the row of an event, counted from 0. Place events in
// about time order.
class Rows {
 public:
  static constexpr size_t kMaxRows = 256;  // the last row takes everything that has no other row
  size_t Place(HostNs start, HostNs end);

 private:
  std::vector<HostNs> ends_;
};

}  // namespace gprofx::exporters
