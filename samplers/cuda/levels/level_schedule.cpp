#include "samplers/cuda/levels/level_schedule.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "samplers/wire/hash.h"

namespace gprofx::cuda {
namespace {

constexpr int64_t kMillisecond = 1'000'000;
// Time between two checks whether recording slows the program, while everything is on.
constexpr int64_t kEverythingNs = 500 * kMillisecond;
// Minimum and maximum length of a window with records, and number of launches that it should
// contain. A rate needs that many. One launch of a CUDA graph is much work.
constexpr int64_t kTracedNs = 80 * kMillisecond, kMaxTracedNs = 1000 * kMillisecond;
constexpr double kTracedLaunches = 60;
// Length of a window with records for which CUPTI comes back and after which it leaves. kFetchNs is
// how long launching threads wait for that.
constexpr int64_t kFetchedNs = 500 * kMillisecond, kFetchNs = 10 * kMillisecond;
// Fraction of the budget that CUPTI's coming and leaving may take.
constexpr double kFetchShare = 0.1;
constexpr int64_t kMinPlainNs = 10 * kMillisecond, kMaxPlainNs = 13'000 * kMillisecond;
// Launches or operations of the program's warm-up, all of which are recorded, whatever the cost.
constexpr double kWarmUpLaunches = 5000;
// Mean number of operations per launch from which on CUDA graphs are assumed.
constexpr double kGraphOperations = 4;
// Number of operations of the previous window that may be counted in this one.
constexpr uint64_t kStrays = 20;
// GPU utilisation from which on the host counts as waiting for the GPU.
constexpr double kBusy = 0.9;
constexpr double kNoLongerBusy = 0.82;
constexpr uint64_t kMinSpanNs = BusyMeter::kRecentNs / 2;
// Number of operations that is enough even if they are short. A window stores only the first ones.
constexpr uint64_t kEnoughOperations = 40'000;
constexpr uint64_t kMinLaunches = 20;  // minimum for a window's launch rate
constexpr uint32_t kLearnWindows = 8;
constexpr double kForget = 0.02;  // weight of the newest window
constexpr double kMinCost = 0.004, kMinShare = 0.02;
// Cost of records per launch in ns, until it is measured. From outside, with CUPTI alone, it was
// measured on H100 and H200: 14 % of the time of a program with 32,000 launches a second, and 11 %
// with 26,000.
constexpr double kUnknownNs = 4'000;
// GPU time in ns that a record adds to an operation of a graph. From outside, with CUPTI alone, it
// was measured as 1 us for 84 nodes of PyTorch on an H100, and 2.2 us for 71 nodes of JAX on an
// H200.
constexpr double kGraphOperationNs = 2'200;
// Fraction of the time that is set aside for costs that are not measured here: CPU samples (which
// may take a fifth of a budget of 5 %), CUPTI's calls of our callback at launches, and cache misses
// that recording causes in the program.
constexpr double kOtherShare = 0.025;

double RateOf(const LevelSchedule::Window& window) {
  if (window.launches < kMinLaunches || window.ns <= 0) return 0;
  return static_cast<double>(window.launches) / static_cast<double>(window.ns);
}

double BusyShare(const LevelSchedule::Window& window) {
  return static_cast<double>(window.gpu.busy_ns) / static_cast<double>(window.gpu.span_ns);
}

}  // namespace

LevelSchedule::LevelSchedule(uint32_t budget, uint64_t seed)
    : budget_(budget / 1000.0), random_(seed) {}

double LevelSchedule::Random() {
  random_ += wire::kGolden;
  return static_cast<double>(wire::MixBits(random_) >> 11) * 0x1p-53;
}

int64_t LevelSchedule::RandomNs(int64_t mean) {
  return static_cast<int64_t>(static_cast<double>(mean) * (0.5 + Random()));
}

LevelSchedule::Step LevelSchedule::Everything() {
  alternates_ = false;
  plain_rate_ = traced_rate_ = 0;
  return {wire::kLevelRecords, RandomNs(kEverythingNs)};
}

LevelSchedule::Step LevelSchedule::First() {
  plain_rate_ = traced_rate_ = 0;
  if (!alternates_) return Everything();
  return Random() < Share() ? Records() : Plain();
}

bool LevelSchedule::HasGraphs() const { return operations_ > kGraphOperations; }

// True if recording slows the program: the GPU is not always busy, or CUDA graphs are launched.
// Called only while everything is on.
bool LevelSchedule::RecordsCost(const Window& ended) const {
  if (ended.gpu.span_ns < kMinSpanNs && ended.gpu.operations < kEnoughOperations) return false;
  return HasGraphs() || BusyShare(ended) < kNoLongerBusy;
}

bool LevelSchedule::GpuIsLimit(const Window& ended) const {
  return !HasGraphs() && ended.gpu.span_ns >= kMinSpanNs && BusyShare(ended) >= kBusy;
}

// Learns the cost of records. Compares the launch rate in a window with records with the mean rate
// of the windows without records before and after it.
void LevelSchedule::Learn(const Window& ended) {
  const double rate = RateOf(ended);
  if (ended.level == wire::kLevelRecords) {
    traced_rate_ = rate;
    return;
  }
  if (plain_rate_ > 0 && traced_rate_ > 0 && rate > 0) {
    const double seen = (plain_rate_ + rate) / 2 / traced_rate_;
    const double weight = std::max(kForget, 1.0 / ++windows_);
    const double off = std::clamp(seen, 0.3, 4.0) - ratio_;
    ratio_ += off * weight;
    spread_ = (1 - weight) * (spread_ + weight * off * off);
  }
  plain_rate_ = rate;
  traced_rate_ = 0;
  if (ended.ns <= 0) return;
  const double share = static_cast<double>(ended.own_ns) / static_cast<double>(ended.ns);
  own_share_ += (share - own_share_) * (own_share_ == 0 ? 1 : 0.1);
}

// Returns the learned cost of records as a fraction of the time, plus one standard error.
double LevelSchedule::LearnedCost() const {
  const double known = std::min(static_cast<double>(windows_), 2 / kForget - 1);
  // The factor 2 is an upper bound. Two successive ratios share a window without records, so they
  // are not independent, and the variance of their mean is up to twice as large.
  return std::max(0.0, ratio_ - 1) + std::sqrt(2 * spread_ / std::max(known - 1, 1.0));
}

double LevelSchedule::LikelyCost() const {
  if (!HasGraphs()) return std::max(rate_ * (records_ns_ > 0 ? records_ns_ : kUnknownNs), kMinCost);
  const double learned = windows_ < kLearnWindows ? 0 : LearnedCost();
  return std::max({rate_ * operations_ * kGraphOperationNs, learned, kMinCost});
}

// Returns the fraction of the time for windows with records: what other costs leave of the budget
// (at least a tenth of it), divided by LikelyCost(). At least kMinShare.
double LevelSchedule::Share() const {
  const double left = std::max(budget_ - own_share_ - kOtherShare, budget_ / 10);
  return std::clamp(left / LikelyCost(), kMinShare, 1.0);
}

int64_t LevelSchedule::TracedNs() const {
  const auto least = static_cast<double>(leaves_ ? kFetchedNs : kTracedNs);
  if (rate_ <= 0) return static_cast<int64_t>(least);
  return static_cast<int64_t>(
      std::clamp(kTracedLaunches / rate_, least, static_cast<double>(kMaxTracedNs)));
}

int64_t LevelSchedule::LeastPlainNs() const {
  if (!leaves_) return kMinPlainNs * TracedNs() / kTracedNs;
  return std::min(kMaxPlainNs,
                  static_cast<int64_t>(static_cast<double>(kFetchNs) / (budget_ * kFetchShare)));
}

LevelSchedule::Step LevelSchedule::Records() { return {wire::kLevelRecords, RandomNs(TracedNs())}; }

LevelSchedule::Step LevelSchedule::Plain() {
  const double share = Share();
  const int64_t traced = TracedNs();
  const auto mean = static_cast<int64_t>(static_cast<double>(traced) * (1 - share) / share);
  return {wire::kLevelLaunches, RandomNs(std::clamp(mean, LeastPlainNs(), kMaxPlainNs))};
}

LevelSchedule::Step LevelSchedule::Next(const Window& ended) {
  if (budget_ <= 0) return Everything();
  if (ended.ns > 0 && ended.launches > 0)
    rate_ = static_cast<double>(ended.launches) / static_cast<double>(ended.ns);
  if (ended.gpu.operations > kStrays) {
    operations_ = std::max(1.0, static_cast<double>(ended.gpu.operations) /
                                    static_cast<double>(ended.gpu.launches + kStrays));
  }
  records_ns_ = ended.records_ns;
  const double work = static_cast<double>(ended.launches) * operations_;
  launches_seen_ += work;
  if (!alternates_) {
    // A window with little work, such as a pause of the program, carries no information.
    if (IsLittleWork(static_cast<uint64_t>(work), ended.ns)) return Everything();
    // Require two such windows in a row, because a GPU also waits while kernels are loaded at their
    // first launch.
    const bool cost = launches_seen_ >= kWarmUpLaunches && RecordsCost(ended);
    if (!std::exchange(cost_, cost) || !cost) return Everything();
    alternates_ = true;
    cost_ = false;
    return Plain();
  }
  Learn(ended);
  if (GpuIsLimit(ended)) return Everything();
  return ended.level == wire::kLevelRecords ? Plain() : Records();
}

}  // namespace gprofx::cuda
