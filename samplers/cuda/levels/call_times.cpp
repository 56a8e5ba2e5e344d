#include "samplers/cuda/levels/call_times.h"

#include <algorithm>
#include <cmath>

#include "samplers/cuda/state.h"

namespace gprofx::cuda {
namespace {

constexpr uint64_t kMinCalls = 10;  // minimum number of calls in a batch
constexpr int kRoundsOfBatch = 8;   // rounds of a batch, which are a fifth of a second
constexpr double kMinBatches = 6;   // minimum number of batches of each kind for a result

}  // namespace

double CallTimes::Batches::squared_error() const {
  return std::max(0.0, squares / count - mean() * mean()) / (count - 1);
}

void CallTimes::Add(Kind kind, int64_t ns) {
  if (ns < 0 || ns > kLongestNs) return;
  now_[kind].ns.fetch_add(static_cast<uint64_t>(ns), std::memory_order_relaxed);
  now_[kind].calls.fetch_add(1, std::memory_order_relaxed);
}

void CallTimes::EndBatch(Kind kind) {
  rounds_[kind] = 0;
  const double calls = static_cast<double>(now_[kind].calls.exchange(0));
  const double mean = static_cast<double>(now_[kind].ns.exchange(0)) / calls;
  Batches& batches = batches_[kind];
  batches.count += 1;
  batches.sum += mean;
  batches.squares += mean * mean;
  const auto tell = [kind](uint32_t first, double amount) {
    g_state.Count(static_cast<wire::GpuCounter>(first + kind), static_cast<uint64_t>(amount + 0.5));
  };
  tell(wire::kGpuTimedBatches, 1);
  tell(wire::kGpuTimedNs, mean);
  tell(wire::kGpuTimedSquares, mean * mean);
}

void CallTimes::EndRound(bool counts) {
  for (uint32_t i = 0; i < kKinds; ++i) {
    const auto kind = static_cast<Kind>(i);
    if (!counts) {
      now_[kind].calls.store(0);
      now_[kind].ns.store(0);
      rounds_[kind] = 0;
    } else if (now_[kind].calls.load(std::memory_order_relaxed) >= kMinCalls &&
               ++rounds_[kind] >= kRoundsOfBatch) {
      EndBatch(kind);
    }
  }
}

double CallTimes::MostOfRecords() const {
  const Batches &bare = batches_[kBare], &recorded = batches_[kRecorded];
  if (bare.count < kMinBatches || recorded.count < kMinBatches) return 0;
  const double error = std::sqrt(bare.squared_error() + recorded.squared_error());
  return std::max(1.0, recorded.mean() - bare.mean() + 2 * error);
}

}  // namespace gprofx::cuda
