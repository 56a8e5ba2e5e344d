// Turns the kRecordCall entries of a process's rings into CUDA calls with begin and end.
//
// The duration of an entry has 32 bits. A longer call arrives as several consecutive entries, all
// of which but the last have the maximum duration. They are joined into one call. One object per
// process, one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>

#include "core/model/ids.h"

namespace gprofx {

struct GpuCallTime {
  ThreadId thread;
  NodeId node;
  uint32_t call = 0;  // wire::GpuCall
  HostNs begin = 0, end = 0;
};

class CallTimes {
 public:
  using Sink = std::function<void(const GpuCallTime&)>;

  void Add(ThreadId thread, NodeId node, uint32_t call, HostNs end, uint32_t ns, const Sink& sink);
  // Passes on the calls whose last part never arrived.
  void Finish(const Sink& sink);

 private:
  struct Parts {
    NodeId node;
    uint32_t call = 0;
    HostNs end = 0;
    int64_t ns = 0;
  };
  static void Give(ThreadId thread, const Parts& parts, const Sink& sink);

  std::unordered_map<uint32_t, Parts> open_;  // calls whose last part is missing, by thread
};

}  // namespace gprofx
