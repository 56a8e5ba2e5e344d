#include "samplers/collector/quality.h"

#include <algorithm>
#include <limits>

namespace gprofx {
namespace {

struct CounterName {
  wire::Counter counter;
  const char* name;
};

constexpr CounterName kNames[] = {
    {wire::kSamples, "samples"},
    {wire::kDroppedSamples, "dropped_samples"},
    {wire::kDroppedNs, "dropped_ns"},
    {wire::kTruncatedStacks, "truncated_stacks"},
    {wire::kEndNoModule, "unwind_no_module"},
    {wire::kEndNoRow, "unwind_no_row"},
    {wire::kEndBadRule, "unwind_bad_rule"},
    {wire::kEndBadSp, "unwind_bad_sp"},
    {wire::kEndDepth, "unwind_depth"},
    {wire::kEndUnreadable, "unwind_unreadable"},
    {wire::kPythonTorn, "python_torn"},
    {wire::kPythonMissing, "python_missing"},
    {wire::kPythonSamples, "python_samples"},
    {wire::kPythonExpected, "python_expected"},
    {wire::kPythonUnknown, "python_unknown"},
    {wire::kCallMemoFull, "call_memo_full"},
    {wire::kMergeByAddress, "merge_by_address"},
    {wire::kMergeByCount, "merge_by_count"},
    {wire::kMergeFailed, "merge_failed"},
    {wire::kStackTableFull, "stack_table_full"},
    {wire::kCodeArenaFull, "code_arena_full"},
    {wire::kModuleTableFull, "module_table_full"},
    {wire::kThreadsWithoutRing, "threads_without_ring"},
    {wire::kTimersFailed, "timers_failed"},
    {wire::kPerfOpened, "perf_opened"},
    {wire::kPerfFailed, "perf_failed"},
    {wire::kPerfRested, "perf_rested"},
    {wire::kNativeFrames, "native_frames"},
    {wire::kPythonFrames, "python_frames"},
    {wire::kHandlerNs, "handler_total_ns"},
    {wire::kSkippedOverlap, "skipped_overlap"},
    {wire::kSkippedPaused, "skipped_paused"},
    {wire::kRowCacheMisses, "row_cache_misses"},
    {wire::kForeignSignals, "foreign_signals"},
    {wire::kSafeLoadFaults, "safe_load_faults"},
    {wire::kHandlersReplaced, "handlers_replaced"},
    {wire::kGuessedCallers, "guessed_callers"},
    {wire::kCallStacks, "call_stacks"},
    {wire::kCallMemoHits, "call_memo_hits"},
    {wire::kCallMemoStale, "call_memo_stale"},
    {wire::kCallMemoOthers, "call_memo_others"},
    {wire::kCallMemoUnfit, "call_memo_unfit"},
    {wire::kCallMemoPushedOut, "call_memo_pushed_out"},
    {wire::kCallTruncated, "call_truncated"},
    {wire::kCallPythonTorn, "call_python_torn"},
    {wire::kSkippedNoStack, "skipped_no_stack"},
    {wire::kOwnCpuNs, "own_cpu_ns"},
    {wire::kThreadOwnNs, "thread_own_ns"},
    {wire::kTakersLeft, "takers_left"},
    {wire::kProgramsLoaded, "programs_loaded"},
};

}  // namespace

// Returns a + b, at most INT64_MAX. The target may have written any value.
uint64_t SaturatedSum(uint64_t a, uint64_t b) {
  constexpr uint64_t kMax = std::numeric_limits<int64_t>::max();
  b = std::min(b, kMax);
  return a > kMax - b ? kMax : a + b;
}

void AgentCounters::Add(const wire::ProcessHeader& header) {
  for (size_t i = 0; i < counters.size(); ++i) {
    counters[i] = SaturatedSum(counters[i], header.counters[i].load(std::memory_order_relaxed));
  }
  for (size_t i = 0; i < handler.size(); ++i) {
    handler[i] = SaturatedSum(handler[i], header.handler_ns[i].load(std::memory_order_relaxed));
  }
}

int64_t HistogramPercentile(std::span<const uint64_t> histogram, double share) {
  uint64_t total = 0;
  for (const uint64_t runs : histogram) total = SaturatedSum(total, runs);
  if (total == 0) return 0;
  const auto wanted = static_cast<uint64_t>(static_cast<double>(total - 1) * share);
  uint64_t before = 0;
  for (uint32_t bucket = 0; bucket < histogram.size(); ++bucket) {
    const uint64_t runs = histogram[bucket];
    if (runs != 0 && wanted < SaturatedSum(before, runs)) {
      // Assume that the runs in a bucket are spread evenly over its range.
      const double low = static_cast<double>(wire::HandlerBucketFloor(bucket));
      const double high = static_cast<double>(wire::HandlerBucketFloor(bucket + 1));
      const double part = (static_cast<double>(wanted - before) + 0.5) / static_cast<double>(runs);
      return static_cast<int64_t>(low + (high - low) * part);
    }
    before = SaturatedSum(before, runs);
  }
  return static_cast<int64_t>(wire::HandlerBucketFloor(wire::kHandlerBuckets - 1));
}

int64_t HandlerPercentile(const AgentCounters& all, double share) {
  return HistogramPercentile(all.handler, share);
}

void PublishCounters(const AgentCounters& all, std::map<std::string, int64_t>& quality) {
  for (const CounterName& entry : kNames) {
    quality[entry.name] = static_cast<int64_t>(all.counters[entry.counter]);
  }
  quality["call_stacks"] += quality["call_memo_hits"];
  quality["handler_median_ns"] = HandlerPercentile(all, 0.5);
  quality["handler_p99_ns"] = HandlerPercentile(all, 0.99);
}

}  // namespace gprofx
