// Keeps track of the system calls that the agent may still make after the program put itself under
// seccomp. Before a filter is installed, the agent evaluates it for each of its own system calls
// (seccomp_filter.h). From then on it does not make the calls that the filter forbids. A thread
// that can then no longer be sampled safely is stopped before the filter takes effect.
//
// The state is read in handlers and in fork children. The thread that calls prctl(2) or seccomp(2)
// writes it. No lock is needed, because a filter never allows again what an earlier one forbade.
#pragma once

#include <linux/filter.h>

#include <cstdint>

namespace gprofx::agent {

enum Need : uint32_t {
  kNeedReturn = 1,          // rt_sigreturn: the return from every signal handler
  kNeedClock = 2,           // clock_gettime of a thread's CPU clock
  kNeedThread = 4,          // gettid, the thread's name
  kNeedTimers = 8,          // timer_create and the other calls for POSIX timers
  kNeedPerf = 16,           // perf_event_open, sending its descriptor to the collector, getrusage
  kNeedMask = 32,           // rt_sigprocmask
  kNeedActions = 64,        // rt_sigaction
  kNeedCopies = 128,        // process_vm_readv
  kNeedFiles = 256,         // map shared memory in fork children and new programs; read files
  kNeedKill = 512,          // check whether the collector still runs; sched_yield
  kNeedLook = 1024,         // inspect a program file before an exec; use the collector's socket
  kNeedSignalStack = 2048,  // sigaltstack, and mapping memory for it
  kNeedStopPerf = 4096,     // disable perf events at once
  kNeedReaders = 8192,      // consume our pending ticks (signal_readers.cpp)
  kNeedAll = 16383,         // everything that normal sampling uses
  kNeedFence = 16384,       // membarrier (heavy_fence.h)
  kNeeds = kNeedAll | kNeedFence,
};
// System calls without which a thread cannot be sampled at all.
constexpr uint32_t kNeedSampling = kNeedReturn | kNeedClock;
// System calls that are needed to start sampling a new thread.
constexpr uint32_t kNeedNewThread = kNeedSampling | kNeedThread | kNeedTimers | kNeedMask;

// True if the threads of the process may make all system calls of `needs`. Async-signal-safe.
bool Allowed(uint32_t needs);

// Returns the set of Needs whose system calls the filter allows. `program` must be readable.
uint32_t NeedsThatPass(const sock_filter* program, uint32_t length);

// From now on, allows only those of `allowed` that were allowed before. Returns the previous value.
uint32_t Restrict(uint32_t allowed);
// Undoes Restrict after the program's prctl(2) or seccomp(2) failed. `before` is the result of
// Restrict.
void LiftRestriction(uint32_t before);

}  // namespace gprofx::agent
