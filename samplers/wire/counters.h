// Named counters of a profiled process. Every place in the agent that loses or measures something
// has one. Signal handlers of many threads write them with relaxed atomic adds; the collector reads
// them.
#pragma once

#include <cstdint>

namespace gprofx::wire {

enum Counter : uint32_t {
  kSamples = 0,      // samples written to a ring
  kDroppedSamples,   // ring full
  kDroppedNs,        // their weight
  kTruncatedStacks,  // native walks that did not reach the thread's start; reasons below
  kEndNoModule,
  kEndNoRow,
  kEndBadRule,
  kEndBadSp,
  kEndDepth,
  kEndUnreadable,
  kPythonTorn,      // Python chains that failed a check and were cut there
  kPythonMissing,   // samples inside the interpreter's eval loop without a Python frame
  kPythonSamples,   // samples with at least one Python frame
  kPythonExpected,  // samples whose native stack holds an eval frame of the interpreter
  kMergeByAddress,  // Python groups placed by stack address
  kMergeByCount,    // ... by counting from the root
  kMergeFailed,     // ... put at the leaf because neither way worked
  kStackTableFull,  // samples whose leaf frames got no node
  kCodeArenaFull,   // code objects without a record
  kModuleTableFull,
  kThreadsWithoutRing,
  kTimersFailed,  // threads for which no timer could be created
  kPerfOpened,    // perf events handed to the collector
  kPerfFailed,
  kNativeFrames,  // frames walked in total
  kPythonFrames,
  kHandlerNs,       // time spent in handlers
  kSkippedOverlap,  // signals that arrived while the thread was in the handler
  kSkippedPaused,   // signals outside --delay/--duration
  kRowCacheMisses,  // frames whose unwind row had to be interpreted
  // Signals 33, SIGURG, SIGSEGV and SIGBUS that belonged to the program and were passed on
  kForeignSignals,
  kSafeLoadFaults,    // reads of bad addresses that were caught
  kHandlersReplaced,  // samples while the program had installed its own fault handlers without libc
  // Frames without unwind rows whose caller was found by scanning the stack
  kGuessedCallers,
  kCallStacks,      // stacks walked at CUDA calls
  kCallMemoHits,    // CUDA calls whose stack matched a remembered one
  kCallTruncated,   // ... whose stack did not reach the thread's start
  kCallPythonTorn,  // ... whose Python chain failed a check
  kSkippedNoStack,  // signals on an alternate stack with no room for a sample
  // CPU time that the agent uses to start in a process and after a fork. Excludes handlers that
  // interrupt a sampled thread. The thread clocks in the shared memory do not include it.
  kOwnCpuNs,
  kCallMemoStale,  // calls that may have a stale stack (agent/calls/call_memo.h)
  // CUDA calls whose stack was walked, because no remembered one matched (agent/calls/call_memo.h):
  //   kCallMemoOthers     remembered stacks had the same key, but differed
  //   kCallMemoUnfit      the stack cannot be remembered
  //   kCallMemoPushedOut  the stack was remembered, which evicted another one
  kCallMemoOthers,
  kCallMemoUnfit,
  kCallMemoPushedOut,
  kPythonUnknown,      // interpreters with unreadable frames: another version, a pre-release
  kCallMemoFull,       // comparisons of all words of a remembered stack
  kPerfRested,         // perf events suspended because the kernel often switches to the thread
  kThreadOwnNs,        // our time at thread start and end; the threads' clocks include it
  kTakersLeft,         // stack walks that a handler of the program left for good
  kProgramsLoaded,     // times the kernel and loader loaded the agent with a program
  kCounterCount = 64,  // spare room: the collector ignores counters it does not know
};

// Histogram of handler run time: eight buckets per power of two, from 64 ns to 2^22 ns.
constexpr uint32_t kHandlerBuckets = 128;

constexpr uint32_t HandlerBucket(uint64_t ns) {
  if (ns < 64) return 0;
  uint32_t log2 = 63 - static_cast<uint32_t>(__builtin_clzll(ns));
  uint32_t bucket = (log2 - 6) * 8 + static_cast<uint32_t>(ns >> (log2 - 3) & 7);
  return bucket < kHandlerBuckets ? bucket : kHandlerBuckets - 1;
}

// Lower bound of a bucket in ns.
constexpr uint64_t HandlerBucketFloor(uint32_t bucket) {
  return (uint64_t{8} + bucket % 8) << (bucket / 8 + 3);
}
static_assert(HandlerBucketFloor(HandlerBucket(2500)) <= 2500);

}  // namespace gprofx::wire
