// One recorded run as what can be compared: its functions and kernels with their time, exact counts
// of what it did, and the facts that must be equal for a comparison to mean anything.
//
// Functions are those that `report` lists, with the same time: matched over versions by language,
// module and name, so that moved lines and other folders change nothing. Pure; one thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/events.h"
#include "core/profile.h"

namespace gprofx::compare {

struct Part {
  FrameKind kind = FrameKind::kRoot;
  std::string name;    // in full
  std::string file;    // where it is defined, or runs; may be empty
  uint32_t line = 0;   // 0 = unknown
  std::string module;  // path; empty for Python
  double ns = 0;       // self
  double samples = 0;  // 0 where the time is exact
};

// Key of a part -> the part; keys of two runs that are equal mean the same thing.
using Parts = std::map<std::string, Part>;

struct Run {
  std::string metric;                        // "cpu" or "wall": what functions count
  double total_ns = 0;                       // of it
  double gpu_ns = 0;                         // of kernels, copies and memsets
  double measured_ns = 0, accounted_ns = 0;  // see DataQuality
  bool complete = true;
  Parts functions, kernels;
  std::map<std::string, int64_t> counts;        // "launches of gemm", "bytes copied host to device"
  std::map<std::string, std::string> machine;   // facts that must be equal: "GPU", "driver", ...
  std::map<std::string, std::string> workload;  // facts that should be: "command", ...
};

class RunReader {
 public:
  // The profile must outlive the reader.
  explicit RunReader(const Profile& profile);

  // The streams that counts are made of: kKernels, kCopies, kSets and kCalls, and the columns that
  // are needed of them.
  static std::span<const Stream> Streams();
  static std::vector<size_t> Columns(Stream stream);
  void Add(const EventTable& rows);

  Run Finish();

 private:
  void AddKernels(const EventTable& rows);
  void AddFacts();

  const Profile& profile_;
  Run run_;
  std::vector<int64_t> launches_;  // by GpuConfigId
};

}  // namespace gprofx::compare
