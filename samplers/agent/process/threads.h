// The threads of this process that are sampled: one ThreadState and one ring each.
//
// A slot is claimed by the creating thread (pthread_create wrapper), filled by the thread itself,
// ended by the destructor of a thread-specific key. States are mapped once per slot and used again;
// they are never unmapped while the process lives.
#pragma once

#include <atomic>
#include <cstdint>

#include "samplers/agent/calls/tick_clock.h"
#include "samplers/agent/process/session.h"
#include "samplers/agent/stacks/copied_memory.h"
#include "samplers/agent/stacks/merge.h"
#include "samplers/agent/stacks/stack_table.h"
#include "samplers/agent/stacks/weights.h"

namespace gprofx::agent {

constexpr uint32_t kMaxNativeFrames = 2000;
constexpr uint32_t kMaxPythonFrames = 2000;
static_assert(kMaxNativeFrames + kMaxPythonFrames + 1 < kMaxPath);

class CallMemo;

// Modules of PyTorch that call each other. Deeper ones count to the last of these.
constexpr uint32_t kMaxLayers = 16;
struct LayerCalls {
  uint32_t count = 0;
  uint64_t frames[kMaxLayers];  // addresses of the Python frames, outermost first
};

constexpr uint32_t kMaxCallDepth = 4;
struct OpenCall {  // a CUDA call that has begun
  int64_t begin;   // ns since the start of the recording
  uint64_t ticks;  // machine::Ticks() then
  uint32_t node;   // 0 = nothing is known of it
};

// The thread with Python frames that this one was last seen to work for (python/autograd.h).
struct AutogradWait {
  uint64_t thread, frame, code;
  uint32_t trusted;  // answers left before all threads are looked at again
};

struct Switches {  // waits of a thread, after which the kernel switches to it again
  int64_t count = 0, cpu_ns = 0;
};

struct ThreadState {
  wire::ThreadRing* ring;
  uint32_t slot;
  int32_t tid;
  uint32_t recording;        // that it belongs to (Session::recording)
  std::atomic<bool> active;  // signals for it are samples
  std::atomic<bool> busy;    // its stack is being taken (scratch.h)
  uint64_t taken_at;         // where: the frame of a call, or the stack that a handler interrupted
  bool taken_in_agent;       // the taker is within an InAgent
  uint32_t refused;          // others, so often
  int64_t refused_since;     // ns, monotonic: the first of them
  bool perf_tried, perf_armed;
  bool perf_opening;
  bool is_dispatched;        // a sample would be seen (dispatch.h)
  int32_t perf_fd;           // while it is opened; else -1
  uint8_t perf_rests;        // so many times its perf event was given up
  int64_t perf_rests_until;  // of its CPU clock
  Switches switches;         // at the latest full look
  uint64_t blocked_faults;   // SIGSEGV, SIGBUS where the thread blocks them, as far as we know
  int32_t timer;             // kernel id, -1 = none, or kTimersAreOver
  uint32_t periods;          // that it was set for (Session::periods)
  CpuLedger ledger;
  uint32_t stretch;  // of the recording, that its latest tick was in (Session::stretch)
  uint32_t samples;
  uint8_t name_tries;     // looks for the name that Python has for it
  void* (*start)(void*);  // for the pthread_create wrapper
  void* argument;
  uint64_t stack_bytes;
  uint64_t python_inner;                // its PyThreadState in a subinterpreter (python/runtime.h)
  std::atomic<uint64_t> python_thread;  // its PyThreadState at the latest stack, 0 = none
  AutogradWait autograd;
  uint64_t signal_stack;   // where that of the slot begins, 0 = none (signal_stack.h)
  bool signal_stack_used;  // the thread has it, or had it and did not give it back
  TickClock clock;         // of its launches
  CallMemo* memo;          // null until the first CUDA call; kept for the next thread in this slot
  uint32_t call_depth;     // open calls, counted beyond kMaxCallDepth too
  OpenCall calls[kMaxCallDepth];
  WalkResult walk;           // the latest one; its frames lie at the end of `native`
  uint64_t last_generation;  // of the unwind rows at that walk
  uint32_t python_count;     // of the latest walk
  // A thread that ends without a sample touches nothing beyond the beginning of this: memory that
  // is new costs more than all else that is done for it.
  StackPath path;
  // Scratch of the handler, in here to keep its own stack small.
  NativeFrame native[kMaxNativeFrames];
  PyFrame python[kMaxPythonFrames];
  LayerCalls layers;  // of the latest stack
  uint32_t owner[kMaxPythonFrames];
  CopiedMemory copies;
};

// Claims a slot; null when there is none (counted). Async-signal-safe.
ThreadState* ClaimThread();
void ReleaseUnused(ThreadState* state);  // the thread was not created after all

// Whether the signal of samples, where the thread blocks it, is opened. In its own handler it is
// blocked until the return: another one would take the alternate stack from under a handler that
// has moved off it.
enum class Signal : bool { kAsItIs, kOpened };
// Starts and ends sampling of the calling thread. What its CPU clock said before `from_cpu_ns` is
// none of its samples'.
void BeginThread(ThreadState* state, int64_t from_cpu_ns = ThreadCpuNs(),
                 Signal signal = Signal::kOpened);
void EndThread(ThreadState* state);
// The calling thread's name as it is now. The collector looks now and then: of a thread that names
// itself at the end of a process it has no other news.
void NoteName(ThreadState* state);
// What the calling thread blocks, as bits (signals.h).
void NoteMask(ThreadState* state, uint64_t blocked);
// What the thread's CPU clock says now. Its time since all timers ended belongs to nobody.
void NoteClock(ThreadState* state, int64_t cpu_ns);
// Looks at the CPU clock of every thread: the process is about to end, and they with it.
void NoteThreadClocks();
// Starts sampling of another thread of this process (it has no wrapper: raw clone, or older than
// the agent). From handlers. False: somebody else begins one just now, nothing was done.
bool AdoptThread(int32_t tid);

// Ends sampling of all threads: their clocks are read, their timers gone. Not for handlers.
void EndAllThreads();

// Waits, for some milliseconds at most, until no other thread is in a handler that began before.
void WaitForHandlers();

// Ends the signals of all threads but the calling one, for good.
void StopOtherThreads();

// The state behind a slot if it is active, else null.
ThreadState* ActiveThread(uint32_t slot);
// The state of a thread of this process that is sampled, else null. Looks through all slots.
ThreadState* ThreadOfTid(int32_t tid);
// Was there ever a thread that AdoptThread was called for?
extern std::atomic<bool> g_any_adopted;
inline bool AnyAdopted() { return g_any_adopted.load(std::memory_order_relaxed); }
// In a fork child: no thread but the caller exists.
void ForgetThreads();

}  // namespace gprofx::agent
