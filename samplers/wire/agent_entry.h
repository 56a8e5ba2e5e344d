// Declares the table of functions through which libgprofx-cuda.so, libgprofx-nvtx.so and
// libgprofx-memory.so use the agent in their process. An exported C function of the agent returns
// it. Both sides come from one build; a table of another version is refused.
//
// All functions may be called from any thread of the process, also from CUPTI callbacks. They do
// not allocate, take no lock and do not throw. A node is the index of a call path (NodeRecord in
// records.h). A thread that the agent does not know gets node 0.
#pragma once

#include <cstdint>

#include "samplers/wire/layout.h"

namespace gprofx::wire {

constexpr char kAgentEntryName[] = "gprofx_agent_entry";
constexpr uint32_t kAgentEntryVersion = 9;
// Argument of begin_call for a launch for which CUPTI will send no activity record. The launch is
// still written to the thread's ring, with the correlation id 0.
constexpr uint32_t kNoCorrelation = ~uint32_t{0};

// An allocation or a free of GPU memory; becomes a MemoryRecord of the calling thread.
struct MemoryEvent {
  uint16_t kind;  // MemoryKind
  uint16_t device;
  uint32_t context;
  uint64_t address, bytes, other, reserved;
  uint32_t node;
  bool take_stack;  // record the present call path and ignore `node`
};

struct WaitingThread {
  uint32_t slot, generation;  // identify the thread's ring
  uint32_t node;              // node of the thread's Python frames
  int64_t time;
};

// A CUDA call in progress.
struct BegunCall {
  int64_t begin;   // ns since the start of the recording
  uint64_t ticks;  // processor ticks at that time; 0 = unknown
  uint32_t node;   // node of its stack; 0 = the call is not recorded
  // For a launch: number (within the process) of the recording in which it began.
  uint32_t recording;
};

struct AgentEntry {
  uint32_t version;
  uint32_t bytes;  // size of this struct
  // The agent's copy of the facts. This pointer and `control` stay valid for the life of the
  // process; in a program that was entered late, only until the recording ends.
  const SessionFacts* facts;
  ControlPage* control;  // values that others change during the recording
  int (*open_spool)();   // opens the spool; the caller closes it; -1 = no spool
  // Returns the index of this process's region, or kNoRegion if the process has none. A fork child
  // has another region than its parent.
  uint32_t (*region)();
  // Called when the calling thread begins a CUDA call at `now`. Records the thread's stack, from
  // the caller of the CUDA driver on.
  //
  // `object` distinguishes calls from one place, for example by the handle of the kernel. It may be
  // any number; 0 = nothing distinguishes them. If `correlation` is not 0, appends a kRecordLaunch
  // to the thread's ring. Returns the stack's node. Returns 0 if the thread is unknown, sampling is
  // off, or the ring had no room for the record.
  uint32_t (*begin_call)(uint32_t call, uint64_t object, uint32_t correlation, int64_t now);
  // Called when the innermost open call of the thread ends. Appends a kRecordCall to the thread's
  // ring if the call took at least `least_ns`.
  void (*end_call)(uint32_t call, uint64_t least_ns);
  // For launches: like begin_call with kNoCorrelation, and end_call, but calls do not nest.
  // `launch` must be zero-initialised. Every launch that was begun must reach end_launch before the
  // function kCudaLeaveName may report that libgprofx-cuda.so has left.
  void (*begin_launch)(uint32_t call, uint64_t object, BegunCall* launch);
  void (*end_launch)(uint32_t call, uint64_t least_ns, const BegunCall& launch);
  // Returns the time since the start of the recording in ns.
  int64_t (*now)();
  // Writes the event and its time to the memory ring of the process. Never waits.
  void (*memory)(const MemoryEvent& event);
  // Maps another range of the recording's memory. The caller unmaps it with munmap. Core dumps
  // leave it out. Returns null if the mapping is not permitted.
  void* (*map)(uint64_t offset, uint64_t bytes);
  // Finds threads that launch GPU work but are not running now (agent/calls/waits.h). Writes up to
  // `room` of them to `out`, each with the node of its Python frames, and returns their number.
  // Wakes no thread. One caller at a time.
  uint32_t (*waiting)(WaitingThread* out, uint32_t room);
  // Copies memory that another thread may unmap at any moment. Returns false if it is not mapped or
  // a filter of the program forbids the system call.
  bool (*copy)(uint64_t from, void* to, uint64_t bytes);
  // Atomically replaces the aligned word at `address` by `to` if it is `from`. Returns false if the
  // word differs or is not writable. May be called only while no thread can unmap the word.
  bool (*replace)(uint64_t address, uint64_t from, uint64_t to);
  // After this call, a thread needs no fence of its own to synchronise with another thread that
  // calls heavy_fence (agent/confinement/heavy_fence.h). Returns false if the kernel has no such
  // fence.
  bool (*make_fences_light)();
  // Returns after all threads of the process have passed a full memory fence.
  void (*heavy_fence)();
};
// Names of functions of libgprofx-cuda.so that the agent calls in a program that is already running
// (samplers/cuda/inject.cpp).
constexpr char kCudaEnterName[] = "gprofx_cuda_enter", kCudaLeaveName[] = "gprofx_cuda_leave";
using AgentEntryFunction = const AgentEntry* (*)(uint32_t version);

}  // namespace gprofx::wire
