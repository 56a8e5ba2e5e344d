// Converts the memory events of one process to the events that a builder takes
// (core/gpu/gpu_timeline_builder.h). Everything that the target wrote is checked against limits;
// invalid records are counted. One thread. The builder must outlive it.
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>

#include "core/base/held_bytes.h"
#include "core/gpu/gpu_timeline_builder.h"
#include "samplers/collector/memory/physical.h"
#include "samplers/collector/memory/ring_reader.h"

namespace gprofx {

class MemoryIngest {
 public:
  explicit MemoryIngest(GpuTimelineBuilder& builder) : builder_(builder) {}

  void AddThread(int32_t tid, ThreadId thread) { threads_[tid] = thread; }
  void AddContext(uint32_t context, uint32_t device) { device_of_[context] = device; }
  void Take(const MemoryRecord& record, HostNs now, const StackOf& stack_of);
  int64_t bad() const { return bad_; }
  size_t bytes() const {  // approximate, of this object
    return physical_.bytes() + HeldBytes(device_of_) + HeldBytes(device_of_address_);
  }

 private:
  void Give(const MemoryRecord& record, MemoryEvent event);

  GpuTimelineBuilder& builder_;
  PhysicalMemory physical_;
  std::unordered_map<int32_t, ThreadId> threads_;
  std::unordered_map<uint32_t, uint32_t> device_of_;  // device of each context
  // Device of each live allocation that the driver made, by address.
  std::unordered_map<uint64_t, uint32_t> device_of_address_;
  int64_t bad_ = 0;
};

}  // namespace gprofx
