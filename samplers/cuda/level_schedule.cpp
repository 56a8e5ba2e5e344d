#include "samplers/cuda/level_schedule.h"

#include <algorithm>

namespace gprofx::cuda {
namespace {

constexpr int64_t kMillisecond = 1'000'000;
constexpr int64_t kEverythingNs = 500 * kMillisecond;  // between two looks while all is on
constexpr int64_t kTracedNs = 80 * kMillisecond;
constexpr int64_t kLeastPlainNs = 10 * kMillisecond, kMostPlainNs = 4000 * kMillisecond;
constexpr uint64_t kWarmUpLaunches = 5000;  // traced whatever they cost
constexpr double kFewLaunches = 3000;       // a second: cost nothing that could be noticed
constexpr double kBusy = 0.93;        // then the host waits for the GPU, not we for it
constexpr double kNoLongerBusy = 0.85;
constexpr uint64_t kRecentNs = 400'000'000, kLeastSpanNs = kRecentNs / 2;  // of GPU work
constexpr uint64_t kLeastLaunches = 50;  // of a window whose rate is used
constexpr uint32_t kLearnWindows = 8;
constexpr double kForget = 0.05;  // weight of the newest window
constexpr double kLeastCost = 0.004, kLeastShare = 0.02;
// What CPU samples take, and CUPTI to call us at a launch: 1 to 2 % in PyTorch programs.
constexpr double kOtherShare = 0.015;

double RateOf(const LevelSchedule::Window& window) {
  if (window.launches < kLeastLaunches || window.ns <= 0) return 0;
  return static_cast<double>(window.launches) / static_cast<double>(window.ns);
}

bool HasFewLaunches(const LevelSchedule::Window& window) {
  return static_cast<double>(window.launches) * 1e9 <
         kFewLaunches * static_cast<double>(window.ns);
}

}  // namespace

LevelSchedule::LevelSchedule(uint32_t budget, uint64_t seed)
    : budget_(budget / 1000.0), random_(seed) {}

// splitmix64 of Steele, Lea and Flood.
double LevelSchedule::Random() {
  uint64_t z = random_ += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return static_cast<double>((z ^ z >> 31) >> 11) * 0x1p-53;
}

int64_t LevelSchedule::RandomNs(int64_t mean) {
  return static_cast<int64_t>(static_cast<double>(mean) * (0.5 + Random()));
}

double LevelSchedule::Cost() const { return std::max(0.0, ratio_ - 1); }

LevelSchedule::Step LevelSchedule::Everything() {
  if (alternates_) gpu_ = latest_ = {};
  alternates_ = false;
  plain_rate_ = traced_rate_ = 0;
  return {wire::kLevelRecords, RandomNs(kEverythingNs)};
}

LevelSchedule::Step LevelSchedule::First() {
  plain_rate_ = traced_rate_ = 0;
  if (!alternates_) return Everything();
  return Random() < Share() ? Records() : Plain();
}

// What both have, of `older` only as much as makes kRecentNs with it.
BusyMeter::Work LevelSchedule::Gpu() const {
  const uint64_t room = kRecentNs > latest_.span_ns ? kRecentNs - latest_.span_ns : 0;
  if (gpu_.span_ns <= room)
    return {gpu_.busy_ns + latest_.busy_ns, gpu_.span_ns + latest_.span_ns};
  const double part = static_cast<double>(room) / static_cast<double>(gpu_.span_ns);
  return {static_cast<uint64_t>(part * static_cast<double>(gpu_.busy_ns)) + latest_.busy_ns,
          room + latest_.span_ns};
}

// Records of a window come while it lasts or later, in a window without records, too. A program that
// loads its data does not say what will limit it.
void LevelSchedule::SeeGpu(const Window& ended) {
  if (ended.level == wire::kLevelRecords) {
    gpu_ = Gpu();
    counts_ = !HasFewLaunches(ended);
  }
  latest_ = counts_ ? ended.gpu : BusyMeter::Work{};
}

bool LevelSchedule::HostIsLimit(const Window& ended) const {
  const BusyMeter::Work gpu = Gpu();
  return !HasFewLaunches(ended) && gpu.span_ns >= kLeastSpanNs &&
         static_cast<double>(gpu.busy_ns) < kNoLongerBusy * static_cast<double>(gpu.span_ns);
}

bool LevelSchedule::GpuIsLimit() const {
  const BusyMeter::Work gpu = Gpu();
  return gpu.span_ns >= kLeastSpanNs &&
         static_cast<double>(gpu.busy_ns) >= kBusy * static_cast<double>(gpu.span_ns);
}

// A window with records lies between two plain ones: its rate is compared with the mean of theirs.
void LevelSchedule::Learn(const Window& ended) {
  const double rate = RateOf(ended);
  if (ended.level == wire::kLevelRecords) {
    traced_rate_ = rate;
    return;
  }
  if (plain_rate_ > 0 && traced_rate_ > 0 && rate > 0) {
    const double seen = (plain_rate_ + rate) / 2 / traced_rate_;
    const double weight = std::max(kForget, 1.0 / ++windows_);
    ratio_ += (std::clamp(seen, 0.3, 4.0) - ratio_) * weight;
  }
  plain_rate_ = rate;
  traced_rate_ = 0;
  if (ended.ns <= 0) return;
  const double share = static_cast<double>(ended.own_ns) / static_cast<double>(ended.ns);
  own_share_ += (share - own_share_) * (own_share_ == 0 ? 1 : 0.1);
}

// The share of time with records: what the budget leaves, by what they cost.
double LevelSchedule::Share() const {
  if (windows_ < kLearnWindows) return 0.5;
  const double left = std::max(budget_ - own_share_ - kOtherShare, budget_ / 10);
  return std::clamp(left / std::max(Cost(), kLeastCost), kLeastShare, 1.0);
}

LevelSchedule::Step LevelSchedule::Records() {
  return {wire::kLevelRecords, RandomNs(kTracedNs)};
}

LevelSchedule::Step LevelSchedule::Plain() {
  const double share = Share();
  const auto mean = static_cast<int64_t>(static_cast<double>(kTracedNs) * (1 - share) / share);
  return {wire::kLevelLaunches, RandomNs(std::clamp(mean, kLeastPlainNs, kMostPlainNs))};
}

LevelSchedule::Step LevelSchedule::Next(const Window& ended) {
  launches_seen_ += ended.launches;
  if (budget_ <= 0) return Everything();
  SeeGpu(ended);
  if (!alternates_) {
    if (launches_seen_ < kWarmUpLaunches || !HostIsLimit(ended)) return Everything();
    alternates_ = true;
    gpu_ = latest_ = {};
    counts_ = false;
    return Plain();
  }
  Learn(ended);
  if (GpuIsLimit()) return Everything();
  return ended.level == wire::kLevelRecords ? Plain() : Records();
}

}  // namespace gprofx::cuda
