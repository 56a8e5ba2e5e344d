// Reads what one process wrote about its GPU work. Turns launches from its thread rings and records
// of its stream into events for its GpuTimelineBuilder, PC samples, facts and notices.
//
// Everything that the target wrote is checked against limits; invalid data is counted in GpuRun.
// One thread. The profile and the run must outlive it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "core/gpu/gpu_timeline_builder.h"
#include "samplers/collector/gpu/call_times.h"
#include "samplers/collector/gpu/kernel_names.h"
#include "samplers/collector/gpu/pc_ingest.h"
#include "samplers/collector/gpu/plain.h"
#include "samplers/collector/gpu/run.h"
#include "samplers/collector/memory/ingest.h"

namespace gprofx {

class GpuIngest {
 public:
  GpuIngest(Profile& profile, GpuRun& run, ProcessId process);

  // Takes an entry of the ring of `thread`: at `time`, a call began that submits work to a GPU.
  void Launch(ThreadId thread, HostNs time, NodeId node, uint32_t correlation);
  // Takes an entry of the ring of `thread`: a call ended at `time` and took `ns`.
  void Call(ThreadId thread, HostNs time, NodeId node, uint32_t call, uint32_t ns);

  // Functions that translate numbers in records: node numbers to stacks, and thread slots to
  // threads.
  struct Known {
    StackOf stack_of;
    // Returns the thread of this generation of the slot; 0 if it has ended.
    std::function<ThreadId(uint32_t slot, uint32_t generation)> thread_of;
  };
  // Takes a record of the stream with its header, as GpuStreamReader passes it on.
  void Record(std::span<const std::byte> record, HostNs now, const Known& known);

  // Returns the object that takes allocations and frees of GPU memory. This object tells it which
  // contexts the stream reports.
  MemoryIngest& memory() { return memory_; }

  // Counts `count` parts of the stream that could not be read.
  void CountBad(int64_t count) { run_.CountBad(count); }

  // Attributes the PC samples of windows for which all kernels have arrived (pc_attribution.h).
  void Advance(HostNs now) { pc_.Advance(now); }
  // Called when the process has ended. `launches` is the number of its launches.
  void Finish(HostNs end, int64_t launches);

  // Approximate memory in bytes that is used for this process, without rows and the profile.
  size_t bytes() const { return builder_.bytes() + names_.bytes() + pc_.bytes() + memory_.bytes(); }

 private:
  bool Take(std::span<const std::byte> record, HostNs now, const Known& known);
  bool TakeText(std::span<const std::byte> record);
  bool TakeDevice(std::span<const std::byte> record);
  void TakeKernel(const wire::GpuKernelRecord& record, HostNs now, const StackOf& stack_of);
  void TakeCall(const GpuCallTime& call);
  void TakeLevel(const GpuLevelChange& change);
  void TakeWait(const wire::GpuWaitRecord& record, HostNs now, const Known& known);

  GpuRun& run_;
  GpuTimelineBuilder builder_;
  CallTimes calls_;
  KernelNames names_;
  PcIngest pc_;
  MemoryIngest memory_;
};

}  // namespace gprofx
