// Named counters of a profiled process: every place in the agent where something is lost or
// measured has one. Written with relaxed atomic adds from signal handlers of many threads; read by
// the collector.
#pragma once

#include <cstdint>

namespace gprofx::wire {

enum Counter : uint32_t {
  kSamples = 0,      // samples written to a ring
  kDroppedSamples,   // ring full
  kDroppedNs,        // their weight
  kTruncatedStacks,  // native walks that did not reach the thread's start; by reason below
  kEndNoModule,
  kEndNoRow,
  kEndBadRule,
  kEndBadSp,
  kEndDepth,
  kEndUnreadable,
  kPythonTorn,      // Python chains that failed a check and were cut there
  kPythonMissing,   // samples inside the interpreter's eval loop without any Python frame
  kPythonSamples,   // samples with at least one Python frame
  kPythonExpected,  // samples whose native stack holds an eval frame of the interpreter
  kMergeByAddress,  // Python groups placed by stack address
  kMergeByCount,    // ... by counting from the root
  kMergeFailed,     // ... put at the leaf because neither way fitted
  kStackTableFull,  // samples whose leaf frames found no node
  kCodeArenaFull,   // code objects without a record
  kModuleTableFull,
  kThreadsWithoutRing,
  kTimersFailed,  // threads for which no timer could be made
  kPerfOpened,    // perf events handed over
  kPerfFailed,
  kNativeFrames,  // walked in all
  kPythonFrames,
  kHandlerNs,       // time spent in handlers
  kSkippedOverlap,  // signals that arrived while the thread was in the handler
  kSkippedPaused,   // signals outside of --delay/--duration
  kRowCacheMisses,  // frames whose unwind row had to be interpreted
  // Signals 33 and SIGURG, SIGSEGV, SIGBUS that belonged to the program and were passed on
  kForeignSignals,
  kSafeLoadFaults,    // reads of bad addresses that were caught
  kHandlersReplaced,  // samples while the program had its own fault handlers behind libc's back
  // Frames without unwind rows whose caller was found by looking through the stack
  kGuessedCallers,
  kCallStacks,      // stacks walked at CUDA calls
  kCallMemoHits,    // CUDA calls whose stack was the same as one remembered
  kCallTruncated,   // ... that did not reach the thread's start
  kCallPythonTorn,  // ... whose Python chain failed a check
  kSkippedNoStack,  // signals on an alternate stack with no room for a sample
  // CPU time of our own work outside of handlers that interrupt a sampled thread: start in a
  // process, after a fork; no thread's clock on the wire has it
  kOwnCpuNs,
  kCallMemoStale,  // calls whose remembered stack had changed in an outer frame
  // Why stacks of CUDA calls were walked though many are remembered: others with the same key were,
  // this one cannot be, and (of those that were remembered) how many had to go for another one.
  kCallMemoOthers,
  kCallMemoUnfit,
  kCallMemoPushedOut,
  kPythonUnknown,      // interpreters whose frames cannot be read: another version, a pre-release
  kCallMemoFull,       // looks at all words of a remembered stack
  kPerfRested,         // perf events given up for a time: the kernel switches to the thread often
  kThreadOwnNs,        // time that we took at the begin and end of threads, within their clocks
  kTakersLeft,         // stacks whose taking a handler of the program has left for good
  kProgramsLoaded,     // the agent was loaded with a program, which the kernel and the loader do
  kCounterCount = 64,  // room: the collector ignores those it does not know
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
