// What the agent may still do after the program put itself under seccomp. Before a filter is
// installed it is asked about every system call of ours (seccomp_filter.h); what it does not let
// through is not called any more, and a thread that cannot be sampled without harm is stopped
// before.
//
// The words are read in handlers and in fork children; written by the thread that calls prctl(2) or
// seccomp(2), under no lock: a filter never gives back what one before it took.
#pragma once

#include <linux/filter.h>

#include <cstdint>

namespace gprofx::agent {

enum Need : uint32_t {
  kNeedReturn = 1,    // rt_sigreturn: every signal
  kNeedClock = 2,     // clock_gettime of a thread's CPU clock
  kNeedThread = 4,    // gettid, the thread's name
  kNeedTimers = 8,    // timer_create and its kin
  kNeedPerf = 16,     // perf_event_open and handing it over, getrusage
  kNeedMask = 32,     // rt_sigprocmask
  kNeedActions = 64,  // rt_sigaction
  kNeedCopies = 128,  // process_vm_readv
  kNeedFiles =
      256,          // to map the shared memory, in fork children and new programs; to look at files
  kNeedKill = 512,  // is the collector still there? and sched_yield
  kNeedLook = 1024,         // at the file before an exec, and for the collector's socket
  kNeedSignalStack = 2048,  // sigaltstack, and memory for it
  kNeedStopPerf = 4096,     // to disable perf events at once
  kNeedReaders = 8192,      // to take our ticks from what waits (signal_readers.cpp)
  kNeedAll = 16383,         // to be sampled as usual
  kNeedFence = 16384,       // heavy_fence.h
  kNeeds = kNeedAll | kNeedFence,
};
// Without these a thread is not sampled.
constexpr uint32_t kNeedSampling = kNeedReturn | kNeedClock;
// A new thread needs these besides.
constexpr uint32_t kNeedNewThread = kNeedSampling | kNeedThread | kNeedTimers | kNeedMask;

// May the process's threads do all of `needs`? Async-signal-safe.
bool Allowed(uint32_t needs);

// The parts of kNeeds that a filter lets through. `program` must be readable.
uint32_t NeedsThatPass(const sock_filter* program, uint32_t length);

// From now on only these are allowed; returns what was before.
uint32_t Restrict(uint32_t allowed);
// The call that would have restricted us failed.
void LiftRestriction(uint32_t before);

}  // namespace gprofx::agent
