// Interface through which libgprofx-cuda.so, libgprofx-nvtx.so and libgprofx-memory.so use the
// agent in their process: one exported C function that returns a table of functions. Both sides
// come from one build; a table of another version is refused.
//
// All functions may be called from any thread of the process, including from CUPTI callbacks. They
// do not allocate, take no lock and do not throw. A node is the index of a call path (NodeRecord in
// records.h); a thread that is unknown to the agent gets node 0.
#pragma once

#include <cstdint>

#include "samplers/wire/layout.h"

namespace gprofx::wire {

constexpr char kAgentEntryName[] = "gprofx_agent_entry";
constexpr uint32_t kAgentEntryVersion = 9;
// Argument of begin_call for a launch that CUPTI will send no activity record for. The launch is
// still written to the thread's ring, with the correlation id 0.
constexpr uint32_t kNoCorrelation = ~uint32_t{0};

struct MemoryEvent {  // GPU memory was allocated or freed: a MemoryRecord of the calling thread
  uint16_t kind;      // MemoryKind
  uint16_t device;
  uint32_t context;
  uint64_t address, bytes, other, reserved;
  uint32_t node;
  bool take_stack;  // take the current call path instead of `node`
};

struct WaitingThread {
  uint32_t slot, generation;  // of the thread
  uint32_t node;              // its Python frames
  int64_t time;
};

// A CUDA call in progress.
struct BegunCall {
  int64_t begin;       // ns since the start of the recording
  uint64_t ticks;      // processor ticks at that time; 0 = unknown
  uint32_t node;       // of its stack; 0 = the call is not recorded
  uint32_t recording;  // of a launch: which recording of the process it began in
};

struct AgentEntry {
  uint32_t version;
  uint32_t bytes;             // of this struct
  const SessionFacts* facts;  // the agent's copy; like `control`, constant for the process's life
  ControlPage* control;       // written by others; for values that change during the recording
  int (*open_spool)();        // opens the spool; the caller closes it; -1 = no spool
  // Index of this process's region; changes in a fork child. kNoRegion: the process has none.
  uint32_t (*region)();
  // The calling thread begins a CUDA call at `now`. Takes the thread's stack, starting at the
  // caller of the CUDA driver. `object` distinguishes calls from one place, for example the handle
  // of the kernel; any number, 0 = nothing distinguishes them. A non-zero correlation id appends a
  // kRecordLaunch. Returns the stack's node; 0 = the thread is unknown, sampling is off, or the
  // ring had no room for the record.
  uint32_t (*begin_call)(uint32_t call, uint64_t object, uint32_t correlation, int64_t now);
  // Ends the thread's innermost open call. Appends a kRecordCall if the call took at least
  // `least_ns`.
  void (*end_call)(uint32_t call, uint64_t least_ns);
  // Like begin_call with kNoCorrelation and end_call, but calls do not nest. `launch` must be
  // zero-initialised. The function kCudaLeaveName may report that libgprofx-cuda.so has left only
  // after every begun launch has reached end_launch.
  void (*begin_launch)(uint32_t call, uint64_t object, BegunCall* launch);
  void (*end_launch)(uint32_t call, uint64_t least_ns, const BegunCall& launch);
  // Nanoseconds since the start of the recording.
  int64_t (*now)();
  // Writes the event and its time into the ring of the process. Never waits.
  void (*memory)(const MemoryEvent& event);
  // Maps another range of the recording's memory; munmap releases it. Core dumps leave it out.
  // Returns null if the mapping is not permitted.
  void* (*map)(uint64_t offset, uint64_t bytes);
  // Finds threads that launch GPU work but are not running now. Writes up to `room` of them, each
  // with the node of its Python frames, and returns how many it wrote. Wakes no thread
  // (agent/waits.h). One caller at a time.
  uint32_t (*waiting)(WaitingThread* out, uint32_t room);
  // Copies memory that another thread may unmap at any moment. Returns false if it is not mapped or
  // the program forbids the system call.
  bool (*copy)(uint64_t from, void* to, uint64_t bytes);
  // Atomically replaces the aligned word `from` with `to`. Returns false if the word differs or is
  // not writable. Call it only while no thread can unmap the word.
  bool (*replace)(uint64_t address, uint64_t from, uint64_t to);
  // After this call a thread needs no fence of its own where the thread that it synchronises with
  // calls heavy_fence (agent/confinement/heavy_fence.h). Returns false if the kernel has no such
  // fence.
  bool (*make_fences_light)();
  // Returns after all threads of the process have passed a full memory fence.
  void (*heavy_fence)();
};
// Functions of libgprofx-cuda.so, for a program that is already running (samplers/cuda/inject.cpp).
constexpr char kCudaEnterName[] = "gprofx_cuda_enter", kCudaLeaveName[] = "gprofx_cuda_leave";
using AgentEntryFunction = const AgentEntry* (*)(uint32_t version);

}  // namespace gprofx::wire
