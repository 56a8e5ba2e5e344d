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

  // Takes a ring entry of `thread`: a call that submits work to a GPU began at `time`.
  void Launch(ThreadId thread, HostNs time, NodeId node, uint32_t correlation);
  // Takes a ring entry of `thread`: a call that ended at `time` and took `ns`.
  void Call(ThreadId thread, HostNs time, NodeId node, uint32_t call, uint32_t ns);

  // Functions that translate numbers in records: nodes to stacks, and slots to threads.
  struct Known {
    StackOf stack_of;
    // Returns 0 if the thread has ended.
    std::function<ThreadId(uint32_t slot, uint32_t generation)> thread_of;
  };
  // Takes a record of the stream, as GpuStreamReader passes it.
  void Record(std::span<const std::byte> record, HostNs now, const Known& known);

  // Returns the object that takes allocations and frees of GPU memory. The contexts that the stream
  // reports are passed on to it.
  MemoryIngest& memory() { return memory_; }

  // Counts parts of the stream that could not be read.
  void CountBad(int64_t count) { run_.CountBad(count); }

  // Attributes those PC samples for which all kernels have arrived by now (pc_attribution.h).
  void Advance(HostNs now) { pc_.Advance(now); }
  // Called when the process has ended. `launches` is its number of launches.
  void Finish(HostNs end, int64_t launches);

  // Approximate memory used for this process, without rows and the profile.
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
