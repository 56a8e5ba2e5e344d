// What a replay is made of: the work of GPUs, the calls that took time, and the part of the
// recording that is replayed. Plain rows in any order; times are HostNs, durations at least 0, ids
// those of the profile, 0 = unknown.
#pragma once

#include <cstdint>
#include <vector>

#include "core/gpu/copy_memory.h"
#include "core/model/ids.h"
#include "core/steps/phases.h"

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
  CopyMemory copy;
  GpuConfigId config;  // of a kernel
};

struct ReplayCall {  // a call of the driver that took a while
  // By its node: one of a frame of the driver waited, others take no part. Or it is known: it
  // waited for the GPU, or took its time and may have been kept by it.
  enum Role : uint8_t { kByNode, kWaits, kTakesTime };
  HostNs begin = 0, end = 0;
  ThreadId thread;
  NodeId node;
  StringId name;
  Role role = kByNode;
};

struct ReplayEvents {
  std::vector<ReplayOperation> operations;
  std::vector<ReplayCall> calls;
};

// The steps that are replayed in one go: step i lies in [bounds[i], bounds[i + 1]).
struct ReplayWindow {
  ProcessId process;           // whose steps they are
  std::vector<HostNs> bounds;  // in order, at least two
};

}  // namespace gprofx
