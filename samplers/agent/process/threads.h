// Manages the sampled threads of this process. Each has a ThreadState and a ring.
//
// The thread that creates another claims a slot (pthread_create wrapper). The new thread fills the
// slot, and the destructor of a thread-specific key ends it. A state is mapped once per slot,
// reused, and never unmapped while the process lives.
#pragma once

#include <atomic>
#include <cstdint>

#include "samplers/agent/calls/tick_clock.h"
#include "samplers/agent/process/session.h"
#include "samplers/agent/stacks/copied_memory.h"
#include "samplers/agent/stacks/merge.h"
#include "samplers/agent/stacks/stack_room.h"
#include "samplers/agent/stacks/stack_table.h"
#include "samplers/agent/stacks/weights.h"

#include "samplers/wire/agent_entry.h"

namespace gprofx::agent {

constexpr uint32_t kMaxNativeFrames = 2000;
constexpr uint32_t kMaxPythonFrames = 2000;
static_assert(kMaxNativeFrames + kMaxPythonFrames + 1 < kMaxPath);

class CallMemo;

// The calls of PyTorch modules in a stack. Calls that are nested deeper than kMaxLayers are left
// out.
constexpr uint32_t kMaxLayers = 16;
struct LayerCalls {
  uint32_t count = 0;
  uint64_t frames[kMaxLayers];  // addresses of the Python frames, outermost first
};

constexpr uint32_t kMaxCallDepth = 4;
// The thread for which this autograd thread last worked, identified by its PyThreadState, its
// innermost frame and that frame's code object (python/autograd.h).
struct AutogradWait {
  uint64_t thread, frame, code;
  uint32_t trusted;  // times that it is assumed to wait before all threads are searched again
};

struct Switches {  // voluntary context switches of a thread, and its CPU clock then
  int64_t count = 0, cpu_ns = 0;
};

struct ThreadState {
  wire::ThreadRing* ring;
  uint32_t slot;
  int32_t tid;
  uint32_t recording;        // Session::recording when the slot was claimed
  std::atomic<bool> active;  // signals for this thread are taken as samples
  std::atomic<bool> busy;    // its Scratch is taken: its stack is being read (scratch.h)
  uint64_t taken_at;  // stack address of the Scratch's holder: a call's frame or the interrupted sp
  bool taken_in_agent;    // the Scratch's holder is within an InAgent (late.h)
  uint32_t refused;       // times that the present holder refused the Scratch to others
  int64_t refused_since;  // time of the first refusal, monotonic clock, ns
  bool perf_tried, perf_armed;
  bool perf_opening;
  // Its system calls are dispatched: the program would notice a sample (dispatch.h).
  bool is_dispatched;
  int32_t perf_fd;           // descriptor while the event is being opened; else -1
  uint8_t perf_rests;        // number of times that its perf event was given up
  int64_t perf_rests_until;  // value of its CPU clock until which it gets no new perf event
  Switches switches;         // values at the latest full check
  uint64_t blocked_faults;   // SIGSEGV and SIGBUS, as far as the thread is known to block them
  int32_t timer;             // kernel id, -1 = none, or kTimersAreOver
  uint32_t periods;          // Session::periods that the timer was set for
  CpuLedger ledger;
  uint32_t stretch;  // Session::stretch at its latest tick
  uint32_t samples;
  uint8_t name_tries;     // attempts to read the thread's Python name
  void* (*start)(void*);  // start routine and argument, for the pthread_create wrapper
  void* argument;
  uint64_t stack_bytes;
  uint64_t python_inner;  // its PyThreadState in a subinterpreter (python/runtime.h)
  // Its PyThreadState when its latest stack was taken, 0 = none.
  std::atomic<uint64_t> python_thread;
  AutogradWait autograd;
  uint64_t signal_stack;   // start of the slot's alternate stack, 0 = none (signal_stack.h)
  bool signal_stack_used;  // the thread has the stack, or had it and did not release it
  TickClock clock;         // clock for its launches
  CallMemo* memo;          // null until the first CUDA call; kept for the next thread in this slot
  uint32_t call_depth;     // calls in progress, also those beyond kMaxCallDepth
  wire::BegunCall calls[kMaxCallDepth];
  WalkResult walk;           // the latest walk; its frames are at the end of `native`
  uint64_t last_generation;  // generation of the unwind rows at that walk
  uint32_t python_count;     // number of Python frames in the latest stack
  // New memory costs more than all other work for a thread that ends without a sample. Such a
  // thread touches only the fields above.
  StackPath path;
  // Working memory of the handler. It is kept here because the handler should need little stack.
  NativeFrame native[kMaxNativeFrames];
  PyFrame python[kMaxPythonFrames];
  LayerCalls layers;  // module calls of the latest stack
  uint32_t owner[kMaxPythonFrames];
  CopiedMemory copies;
  alignas(16) std::byte aside[kAsideBytes];  // stack on which samples may be taken (stack_room.h)
};

// Claims a slot for a new thread. If no slot is free, counts the failure and returns null.
// Async-signal-safe.
ThreadState* ClaimThread();
void ReleaseUnused(ThreadState* state);  // releases the slot of a thread that could not be created

// Whether to unblock the sample signal if the thread blocks it (kOpened). Our own handler uses
// kAsItIs, because the signal must stay blocked until the handler returns. Otherwise a second
// signal could overwrite the alternate stack while the first handler runs elsewhere but still
// returns through that stack.
enum class Signal : bool { kAsItIs, kOpened };
// BeginThread starts sampling the calling thread, EndThread ends it. CPU time before `from_cpu_ns`
// is not attributed to its samples.
//
// BeginThread returns the thread's state. That is `state`, unless the thread was adopted before and
// already has one; `state` is then released.
ThreadState* BeginThread(ThreadState* state, int64_t from_cpu_ns = ThreadCpuNs(),
                         Signal signal = Signal::kOpened);
void EndThread(ThreadState* state);
// Records the calling thread's current name. The collector reads names only from time to time, and
// would miss a name that is set at the end of a process.
void NoteName(ThreadState* state);
// Records in the state which signals the calling thread blocks. `blocked` has bit N-1 for signal N.
void NoteMask(ThreadState* state, uint64_t blocked);
// Records the present value of the thread's CPU clock. If the recording has ended all timers, the
// time since the last value is attributed to no sample.
void NoteClock(ThreadState* state, int64_t cpu_ns);
// Records the CPU clock of every thread. Called when the process is about to end.
void NoteThreadClocks();
// Starts sampling thread `tid` of this process, which did not start through our pthread_create
// wrapper (raw clone, or older than the agent). Does nothing for the kernel's worker threads. May
// be called from signal handlers. Returns false, with nothing done, if the start of another thread
// is in progress.
bool AdoptThread(int32_t tid);

// Ends sampling of all threads: reads their clocks a last time and deletes their timers. Do not
// call from signal handlers.
void EndAllThreads();

// Waits until every other thread has left its signal handler. Gives up after 30 ms in all: a
// handler that was left by a jump never ends.
void WaitForHandlers();

// Permanently ends sampling of all threads except the calling one and deletes their timers.
void StopOtherThreads();

// Returns the state of a slot if it is active, else null.
ThreadState* ActiveThread(uint32_t slot);
// Returns the state of the sampled thread `tid` of this process, or null if there is none. Scans
// all slots.
ThreadState* ThreadOfTid(int32_t tid);
// True if AdoptThread ever adopted a thread.
extern std::atomic<bool> g_any_adopted;
inline bool AnyAdopted() { return g_any_adopted.load(std::memory_order_relaxed); }
// Called in a fork child: discards the states of all threads, because only the calling thread
// exists.
void ForgetThreads();

}  // namespace gprofx::agent
