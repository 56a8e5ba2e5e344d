// Defines the input of a replay: the work of GPUs, the calls that took time, and the range of the
// recording to replay. Plain rows in any order. Times are HostNs, durations at least 0, ids those
// of the profile, 0 = unknown.
#pragma once

#include <cstdint>
#include <vector>

#include "core/gpu/copy_memory.h"
#include "core/model/ids.h"
#include "core/steps/phases.h"

namespace gprofx {

struct ReplayOperation {
  enum Kind : uint8_t { kKernel, kCopy, kSet };
  HostNs launch = 0;  // begin of the launching call; 0 = unknown
  HostNs start = 0, end = 0;
  ThreadId thread;
  NodeId node;
  GpuStreamId stream;
  int64_t bytes = 0;
  Kind kind = kKernel;
  CopyMemory copy;
  GpuConfigId config;  // set for kernels
};

struct ReplayCall {  // a driver call with a duration
  // How the replay treats the call. kWaits: it waited for the GPU. kTakesTime: it took time of its
  // own, and the GPU may have delayed it. kByNode: it is kWaits if its node is a driver frame;
  // otherwise it is ignored.
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

// A range of steps that is replayed as a whole. Step i is [bounds[i], bounds[i + 1]).
struct ReplayWindow {
  ProcessId process;           // the process to which the steps belong
  std::vector<HostNs> bounds;  // sorted, at least two
};

}  // namespace gprofx
