#include "samplers/cuda/call_times.h"

#include <algorithm>
#include <cmath>

#include "samplers/cuda/state.h"

namespace gprofx::cuda {
namespace {

constexpr uint64_t kLeastCalls = 10;  // of a round
constexpr double kLeastRounds = 8;    // of each kind

}  // namespace

double CallTimes::Rounds::squared_error() const {
  return std::max(0.0, squares / count - mean() * mean()) / (count - 1);
}

void CallTimes::Add(Kind kind, int64_t ns) {
  if (ns < 0 || ns > kLongestNs) return;
  now_[kind].ns.fetch_add(static_cast<uint64_t>(ns), std::memory_order_relaxed);
  now_[kind].calls.fetch_add(1, std::memory_order_relaxed);
}

void CallTimes::EndRound() {
  for (uint32_t kind = 0; kind < kKinds; ++kind) {
    if (now_[kind].calls.load(std::memory_order_relaxed) < kLeastCalls) continue;
    const double calls = static_cast<double>(now_[kind].calls.exchange(0));
    const double mean = static_cast<double>(now_[kind].ns.exchange(0)) / calls;
    Rounds& rounds = rounds_[kind];
    rounds.count += 1;
    rounds.sum += mean;
    rounds.squares += mean * mean;
    const auto tell = [kind](uint32_t first, double amount) {
      g_state.Count(static_cast<wire::GpuCounter>(first + kind), static_cast<uint64_t>(std::llround(amount)));
    };
    tell(wire::kGpuTimedRounds, 1);
    tell(wire::kGpuTimedNs, mean);
    tell(wire::kGpuTimedSquares, mean * mean);
  }
}

double CallTimes::MostOfRecords() const {
  const Rounds &bare = rounds_[kBare], &recorded = rounds_[kRecorded];
  if (bare.count < kLeastRounds || recorded.count < kLeastRounds) return 0;
  const double error = std::sqrt(bare.squared_error() + recorded.squared_error());
  return std::max(1.0, recorded.mean() - bare.mean() + 2 * error);
}

}  // namespace gprofx::cuda
