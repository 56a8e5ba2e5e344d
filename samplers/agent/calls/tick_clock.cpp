// Runs in signal handlers and CUDA calls: no allocation, no locks.
#include "samplers/agent/calls/tick_clock.h"

#include <atomic>

#include "samplers/agent/machine/machine.h"
#include "samplers/agent/process/session.h"

namespace gprofx::agent {
namespace {

// Max distance of two readings from which a rate is computed.
constexpr int64_t kMaxNs = 400'000'000;
constexpr uint64_t kMaxFactor = uint64_t{100} << 32;

bool Differ(uint64_t a, uint64_t b) { return (a > b ? a - b : b - a) > a >> 10; }

}  // namespace

void TickClock::Add(Reading now) {
  const uint64_t ticks = now.ticks - ticks_;
  const int64_t ns = now.ns - ns_;
  const bool first = ticks_ == 0;
  if (!first && ns < kMinNs) return;  // too short to be accurate
  const uint64_t told = trusted_;
  trusted_ = 0;
  if (!first && ticks >> 63 != 0) uneven_ = true;
  if (!first && ns < kMaxNs && !uneven_) {
    const uint64_t factor = (static_cast<uint64_t>(ns) << 32) / (ticks + 1);
    const int64_t error =
        static_cast<int64_t>(static_cast<unsigned __int128>(ticks) * factor_ >> 32) - ns;
    uneven_ =
        factor >= kMaxFactor ||
        (factor_ != 0 && (Differ(factor, factor_) ||
                          (ticks < 2 * told && (error > kMaxErrorNs || error < -kMaxErrorNs))));
    factor_ = factor;
    if (!uneven_ && factor != 0) trusted_ = (static_cast<uint64_t>(kTrustedNs) << 32) / factor;
  }
  ticks_ = now.ticks;
  ns_ = now.ns;
}

[[gnu::noinline, gnu::cold]] int64_t TickClock::Look(uint64_t ticks) {
  static std::atomic<bool> uneven{false};  // set by any thread, for all threads
  const int64_t ns = g_session.Now();
  if (ticks == 0 || uneven.load(std::memory_order_relaxed)) return ns;
  // Use the reading only if the counter barely advanced between its two reads. Otherwise it is
  // unknown which tick belongs to the time `ns`.
  const uint64_t after = machine::Ticks();
  if (after - ticks < machine::LeastTicksPerMicrosecond()) Add({ticks + (after - ticks) / 2, ns});
  if (uneven_) uneven.store(true, std::memory_order_relaxed);
  return ns;
}

}  // namespace gprofx::agent
