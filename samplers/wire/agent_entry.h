// How libgprofx-cuda.so, libgprofx-nvtx.so and libgprofx-memory.so use the agent in their process:
// one exported C function that answers with a table. Both come from one build; a table of another
// version is refused.
//
// All functions may be called from any thread of the process, CUPTI callbacks included; they do not
// allocate, take no lock and do not throw. A thread that the agent does not know gets node 0.
#pragma once

#include <cstdint>

#include "samplers/wire/layout.h"

namespace gprofx::wire {

constexpr char kAgentEntryName[] = "gprofx_agent_entry";
constexpr uint32_t kAgentEntryVersion = 9;
// Of a launch of which no record will come: its entry in the ring has the correlation id 0.
constexpr uint32_t kNoCorrelation = ~uint32_t{0};

struct MemoryEvent {  // GPU memory was allocated or given back: a MemoryRecord of the calling
                      // thread
  uint16_t kind;      // MemoryKind
  uint16_t device;
  uint32_t context;
  uint64_t address, bytes, other, reserved;
  uint32_t node;
  bool take_stack;  // the call path is the present one, not `node`
};

struct WaitingThread {
  uint32_t slot, generation;  // of the thread
  uint32_t node;              // its Python frames
  int64_t time;
};

struct BegunLaunch {
  int64_t begin;   // ns since the start of the recording
  uint64_t ticks;  // of the processor then; 0 = unknown
  uint32_t node;   // of its stack; 0 = it is not recorded
  uint32_t recording;
};

struct AgentEntry {
  uint32_t version;
  uint32_t bytes;             // of this struct
  const SessionFacts* facts;  // the agent's copy; constant like the next for the process's life
  ControlPage* control;       // others write it: for what changes during the recording
  int (*open_spool)();        // opens the spool, which the caller closes; -1 = there is none
  // Index of this process's region; changes in a fork child. kNoRegion: it has none.
  uint32_t (*region)();
  // The calling thread begins a CUDA call at `now`. Takes its stack, from the caller of the CUDA
  // driver outwards. `object`: what tells calls from one place apart, such as the handle of the
  // kernel; any number, 0 = nothing does. With a correlation id (not 0) a kRecordLaunch is
  // appended. Returns the stack's node; 0 = the thread is unknown, nothing is sampled now, or the
  // record found no room.
  uint32_t (*begin_call)(uint32_t call, uint64_t object, uint32_t correlation, int64_t now);
  // The innermost begun call of the thread ends; a kRecordCall is appended if it took at least
  // `least_ns`.
  void (*end_call)(uint32_t call, uint64_t least_ns);
  // As begin_call with kNoCorrelation and end_call, for a call in which none is begun. `launch` is
  // zero before. Whoever calls it says that nothing is left (kCudaLeaveName) only behind its end.
  void (*begin_launch)(uint32_t call, uint64_t object, BegunLaunch* launch);
  void (*end_launch)(uint32_t call, uint64_t least_ns, const BegunLaunch& launch);
  // Nanoseconds since the start of the recording.
  int64_t (*now)();
  // Writes the event with its time into the ring of the process. Never waits.
  void (*memory)(const MemoryEvent& event);
  // Maps another part of the memory of the recording, which munmap ends; cores leave it out. Null:
  // it may not.
  void* (*map)(uint64_t offset, uint64_t bytes);
  // Which of the threads that launch do not run just now, and at which line of Python: `room` of
  // them at most, how many they are. Nobody is woken (agent/waits.h). One caller at a time.
  uint32_t (*waiting)(WaitingThread* out, uint32_t room);
  // Copies memory that another thread may unmap at any moment. False: it is not there, or the
  // program has forbidden the system call.
  bool (*copy)(uint64_t from, void* to, uint64_t bytes);
  // Writes `to` where the aligned word is `from`, in one piece. False: it is another one, or cannot
  // be written. Only while nobody can unmap it.
  bool (*replace)(uint64_t address, uint64_t from, uint64_t to);
  // From now on threads need no fence of their own where the other side makes a heavy one. False:
  // the kernel cannot make such.
  bool (*make_fences_light)();
  // All threads of the process have passed a full memory fence when it returns.
  void (*heavy_fence)();
};
// Of libgprofx-cuda.so, for a program that runs already (samplers/cuda/inject.cpp).
constexpr char kCudaEnterName[] = "gprofx_cuda_enter", kCudaLeaveName[] = "gprofx_cuda_leave";
using AgentEntryFunction = const AgentEntry* (*)(uint32_t version);

}  // namespace gprofx::wire
