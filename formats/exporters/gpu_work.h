// The GPU's work, and of host threads the CUDA calls that took their time and the ranges that the
// program has named, event by event, as exports want it: one struct for kernels, copies and
// memsets, cut at the range that is exported.
//
// The sum of the durations is the metric "gpu" (of calls that wait "gpu_wait") of the same range,
// to the nanosecond. Events come in the order of the file, which is nearly that of time.
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
  HostNs launch = 0;  // begin of the call, 0 = unknown
  uint32_t thread = 0, node = 0, stream = 0;
  uint32_t config = 0;                             // of a kernel
  int64_t bytes = 0;                               // of the others
  uint32_t copy_kind = 0, source = 0, target = 0;  // CUPTI's numbers; a memset has a target
  uint32_t correlation = 0;
};

struct HostMark {
  enum class Kind : uint8_t {
    kWait,   // a CUDA call that waits for the GPU
    kCall,   // one that loads code, allocates, finds the launch queue full
    kRange,  // named by the program: a marker, which may hold others
  } kind = Kind::kCall;
  HostNs start = 0;
  int64_t duration = 0;
  uint32_t thread = 0, node = 0;  // a range has no node
  StringId name, domain;          // ranges only have domains
};

Status ForEachGpuWork(const ExportJob& job, const std::function<void(const GpuWork&)>& sink);
// Calls, then ranges.
Status ForEachHostMark(const ExportJob& job, const std::function<void(const HostMark&)>& sink);

struct ShownStream {
  std::string name;      // "GPU 0, stream 7"
  uint32_t process = 0;  // position in Who::processes
  uint32_t gpu = 0;      // as nvidia-smi counts; of unknown ones the number of GPUs
  uint32_t context = 0, number = 0;
};
// By GpuStreamId::value; [0] stands for an unknown one.
std::vector<ShownStream> ShownStreams(const Profile& profile, const Who& who);

// Of the node of a call: does the thread wait in it?
bool IsWait(const Profile& profile, uint32_t node);

// The name as the report has it: of the kernel, or of what the copy copies.
std::string WorkName(const Profile& profile, const GpuWork& work);

// "grid 128 1 1, block 256 1 1, 32 registers, 1024 B shared"
std::string ConfigText(const GpuKernelConfig& config);

// Work of one stream can overlap on some GPUs, and viewers draw rows in which nothing does. Gives
// the row, from 0, of an event that is added in about the order of time.
class Rows {
 public:
  static constexpr size_t kMaxRows = 256;  // the last one takes what is left
  size_t Place(HostNs start, HostNs end);

 private:
  std::vector<HostNs> ends_;
};

}  // namespace gprofx::exporters
