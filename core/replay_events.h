// What a replay is made of: the work of GPUs, the calls that took time, and the part of the
// recording that is replayed. Plain rows in any order; times are HostNs, durations at least 0, ids
// those of the profile, 0 = unknown.
#pragma once

#include <cstdint>
#include <vector>

#include "core/ids.h"
#include "core/phases.h"

namespace gprofx {

struct ReplayOperation {
  enum Kind : uint8_t { kKernel, kCopy, kSet };
  HostNs launch = 0;  // begin of its call; 0 = unknown
  HostNs start = 0, end = 0;
  ThreadId thread;
  NodeId node;
  GpuStreamId stream;
  int64_t bytes = 0;
  Kind kind = kKernel;
  // Of copies, as CUPTI numbers them: CUpti_ActivityMemcpyKind, CUpti_ActivityMemoryKind.
  uint8_t copy_kind = 0, source = 0, target = 0;
};

struct ReplayCall {  // a call of the driver that took a while
  HostNs begin = 0, end = 0;
  ThreadId thread;
  NodeId node;
  StringId name;
};

struct ReplayEvents {
  std::vector<ReplayOperation> operations;
  std::vector<ReplayCall> calls;
};

inline constexpr uint8_t kCopyHostToDevice = 1, kCopyDeviceToHost = 2;
inline constexpr uint8_t kMemoryPageable = 1, kMemoryPinned = 2;

inline bool IsPageable(const ReplayOperation& operation) {
  return operation.kind == ReplayOperation::kCopy &&
         (operation.source == kMemoryPageable || operation.target == kMemoryPageable);
}

// The steps that are replayed in one go: step i lies in [bounds[i], bounds[i + 1]).
struct ReplayWindow {
  ProcessId process;             // whose steps they are
  std::vector<HostNs> bounds;    // in order, at least two
};

}  // namespace gprofx
