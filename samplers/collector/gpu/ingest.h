// The GPU side of one process: launches from its thread rings and records of its stream -> rows of
// the event streams and exact values in the calling-context tree.
//
// A kernel, copy or memset is a child of the stack that launched it (for a CUDA graph: below the
// stack that captured it, too); its duration is added to the nanosecond, on the launching thread.
// Work whose launch is not known stands below a marker at the root. Everything that the target
// wrote is bounded; what makes no sense is counted in GpuRun. One thread; the run must outlive it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "samplers/collector/gpu/call_times.h"
#include "samplers/collector/gpu/captures.h"
#include "samplers/collector/gpu/kernel_names.h"
#include "samplers/collector/gpu/launches.h"
#include "samplers/collector/gpu/pc_ingest.h"
#include "samplers/collector/gpu/run.h"

namespace gprofx {

class GpuIngest {
 public:
  GpuIngest(GpuRun& run, ProcessId process);

  // A ring entry of `thread`: begin of a call that puts work on a GPU.
  void Launch(ThreadId thread, HostNs time, NodeId node, uint32_t correlation);
  // Another one: a call has ended at `time` after `ns`.
  void Call(ThreadId thread, HostNs time, NodeId node, uint32_t call, uint32_t ns);

  // A record of the stream, as GpuStreamReader gives it.
  void Record(std::span<const std::byte> record, HostNs now, const WireNodeOf& node_of);

  // Parts of the stream that could not be read.
  void CountBad(int64_t count) { run_.CountBad(count); }

  // Shares out the PC samples that are old enough.
  void Advance(HostNs now) { pc_.Advance(now); }
  // The process is gone.
  void Finish();

 private:
  struct Work {  // of a kernel, copy or memset record
    uint32_t correlation = 0;
    HostNs start = 0, end = 0;
    uint64_t graph_node = 0;
  };
  struct Place {  // where it belongs
    NodeId node;
    ThreadId thread;
    HostNs launch = 0;
  };

  bool Take(std::span<const std::byte> record, HostNs now, const WireNodeOf& node_of);
  bool TakeText(std::span<const std::byte> record);
  bool TakeDevice(std::span<const std::byte> record);
  void TakeKernel(const wire::GpuKernelRecord& record, HostNs now, const WireNodeOf& node_of);
  void TakeCopy(const wire::GpuCopyRecord& record, HostNs now, const WireNodeOf& node_of);
  void TakeSet(const wire::GpuSetRecord& record, HostNs now, const WireNodeOf& node_of);
  void TakeSync(const wire::GpuSyncRecord& record, HostNs now);
  void TakeOverhead(const wire::GpuOverheadRecord& record, HostNs now);
  void TakeCall(const GpuCallTime& call);

  Place PlaceOf(const Work& work, FrameId frame, const WireNodeOf& node_of);
  void Account(const Work& work, const Place& place);

  GpuRun& run_;
  ProcessId process_;
  LaunchTable launches_;
  CallTimes calls_;
  KernelNames names_;
  ProcessPlaces places_;
  GraphCaptures captures_;
  PcIngest pc_;
};

}  // namespace gprofx
