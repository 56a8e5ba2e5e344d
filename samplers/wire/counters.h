// Declares the counters of a profiled process. Every place in the agent that loses or measures
// something has one. Signal handlers of many threads increment them by relaxed atomic adds; the
// collector reads them.
#pragma once

#include <cstdint>

namespace gprofx::wire {

enum Counter : uint32_t {
  kSamples = 0,      // samples written to a ring
  kDroppedSamples,   // samples that found the ring full
  kDroppedNs,        // weight of the dropped samples, ns
  kTruncatedStacks,  // native walks that did not reach the thread's start; the reasons follow
  kEndNoModule,
  kEndNoRow,
  kEndBadRule,
  kEndBadSp,
  kEndDepth,
  kEndUnreadable,
  kPythonTorn,      // Python frame chains that failed a check and were cut there
  kPythonMissing,   // samples inside the interpreter's eval loop without a Python frame
  kPythonSamples,   // samples with at least one Python frame
  kPythonExpected,  // samples whose native stack has a frame of the interpreter's eval loop
  kMergeByAddress,  // Python groups placed by stack address
  kMergeByCount,    // Python groups placed by counting from the root
  kMergeFailed,     // Python groups put at the leaf, because neither way worked
  kStackTableFull,  // samples whose leaf frames got no node because the table was full
  kCodeArenaFull,   // code objects that got no record because the arena was full
  kModuleTableFull,
  kThreadsWithoutRing,
  kTimersFailed,  // threads for which no timer could be created
  kPerfOpened,    // perf events handed to the collector
  kPerfFailed,
  kNativeFrames,  // native frames walked in total
  kPythonFrames,
  kHandlerNs,       // time that handlers took
  kSkippedOverlap,  // signals that arrived while the thread was in the handler
  kSkippedPaused,   // signals outside the window of --delay and --duration
  kRowCacheMisses,  // frames whose unwind row had to be interpreted
  // Signals that belonged to the program and were passed on to it: signal 33, SIGURG, SIGSEGV and
  // SIGBUS.
  kForeignSignals,
  kSafeLoadFaults,    // reads of bad addresses that faulted and were caught
  kHandlersReplaced,  // samples while the program had replaced our fault handlers without libc
  // Frames without unwind rows whose caller was found by scanning the stack.
  kGuessedCallers,
  kCallStacks,      // stacks walked at CUDA calls
  kCallMemoHits,    // CUDA calls whose stack was found in the cache of stacks
  kCallTruncated,   // CUDA calls whose stack did not reach the thread's start
  kCallPythonTorn,  // CUDA calls whose Python frames failed a check
  kSkippedNoStack,  // signals on an alternate stack that had no room for a sample
  // CPU time in ns that the agent takes to start in a process and after a fork. The time of
  // handlers that interrupt a sampled thread is not included. It is not part of the thread clocks
  // in the shared memory.
  kOwnCpuNs,
  kCallMemoStale,  // calls that may have the stack of an earlier one (agent/calls/call_memo.h)
  // CUDA calls whose stack was walked because no stack in the cache matched
  // (agent/calls/call_memo.h):
  //
  //   kCallMemoOthers     cached stacks had the same key, but differed
  //   kCallMemoUnfit      the stack cannot be cached
  //   kCallMemoPushedOut  the stack was cached, and another one was evicted for it
  kCallMemoOthers,
  kCallMemoUnfit,
  kCallMemoPushedOut,
  kPythonUnknown,  // interpreters whose frames cannot be read: of another version, or a pre-release
  kCallMemoFull,   // comparisons of all words of a cached stack
  kPerfRested,     // perf events that were closed because the kernel often switches to their thread
  // Our own time in ns at the start and the end of threads. It is part of their clocks.
  kThreadOwnNs,
  kTakersLeft,      // stack walks that a handler of the program interrupted and never returned to
  kProgramsLoaded,  // times that kernel and loader loaded the agent with a program
  kCounterCount = 64,  // larger than needed; the collector ignores counters that it does not know
};

// Number of buckets of the histogram of handler run times. A power of two has eight buckets, from
// 64 ns to 2^22 ns.
constexpr uint32_t kHandlerBuckets = 128;

constexpr uint32_t HandlerBucket(uint64_t ns) {
  if (ns < 64) return 0;
  uint32_t log2 = 63 - static_cast<uint32_t>(__builtin_clzll(ns));
  uint32_t bucket = (log2 - 6) * 8 + static_cast<uint32_t>(ns >> (log2 - 3) & 7);
  return bucket < kHandlerBuckets ? bucket : kHandlerBuckets - 1;
}

// Returns the lower bound of a bucket in ns.
constexpr uint64_t HandlerBucketFloor(uint32_t bucket) {
  return (uint64_t{8} + bucket % 8) << (bucket / 8 + 3);
}
static_assert(HandlerBucketFloor(HandlerBucket(2500)) <= 2500);

}  // namespace gprofx::wire
