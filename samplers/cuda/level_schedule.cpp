#include "samplers/cuda/level_schedule.h"

#include <algorithm>
#include <cmath>

namespace gprofx::cuda {
namespace {

constexpr int64_t kMillisecond = 1'000'000;
constexpr int64_t kEverythingNs = 500 * kMillisecond;  // between two looks while all is on
constexpr int64_t kDearNs = 80 * kMillisecond, kMostPlainNs = 4000 * kMillisecond;
constexpr uint64_t kWarmUpLaunches = 5000;  // traced whatever they cost
constexpr double kFewLaunches = 3000;       // a second: cost nothing that could be noticed
constexpr double kBusy = 0.93;              // then the host waits for the GPU, not we for it
constexpr uint32_t kBusyWindows = 3;
constexpr uint64_t kLeastLaunches = 50;  // of a window whose rate is used
constexpr uint32_t kLearnWindows = 8;    // of each level
constexpr double kForget = 0.05;         // weight of the newest window
constexpr double kFree = 0.004, kLeastShare = 0.01, kMostSampled = 0.3;

double RateOf(const LevelSchedule::Window& window) {
  if (window.launches < kLeastLaunches || window.ns <= 0) return 0;
  return static_cast<double>(window.launches) / static_cast<double>(window.ns);
}

}  // namespace

void LevelSchedule::Learned::Add(double value) {
  value = std::clamp(value, -1.0, 1.5);
  const double weight = std::max(kForget, 1.0 / ++windows);
  log_ratio += (value - log_ratio) * weight;
}

LevelSchedule::LevelSchedule(uint32_t budget, wire::GpuLevel most, uint64_t seed)
    : budget_(budget / 1000.0), most_(most), random_(seed) {}

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

double LevelSchedule::Cost(wire::GpuLevel level) const {
  const Learned& learned = level == wire::kLevelSamples ? samples_ : records_;
  return learned.windows == 0 ? 0 : std::max(0.0, std::expm1(learned.log_ratio));
}

LevelSchedule::Step LevelSchedule::Everything() {
  phase_ = Phase::kEverything;
  plain_rate_ = dear_rate_ = 0;
  return {most_, RandomNs(kEverythingNs)};
}

LevelSchedule::Step LevelSchedule::First() { return Everything(); }

bool LevelSchedule::HostIsLimit(const Window& ended) const {
  if (static_cast<double>(ended.launches) * 1e9 < kFewLaunches * static_cast<double>(ended.ns))
    return false;
  return ended.gpu_busy < kBusy;
}

// A dear window lies between two plain ones: its rate is compared with the mean of theirs.
void LevelSchedule::Learn(const Window& ended) {
  const double rate = RateOf(ended);
  if (ended.level > wire::kLevelLaunches) {
    dear_rate_ = rate;
    dear_ = ended.level;
    return;
  }
  if (plain_rate_ > 0 && dear_rate_ > 0 && rate > 0) {
    const double plain = (plain_rate_ + rate) / 2;
    (dear_ == wire::kLevelSamples ? samples_ : records_).Add(std::log(plain / dear_rate_));
  }
  plain_rate_ = rate;
  dear_rate_ = 0;
  if (ended.ns > 0) {
    const double share = static_cast<double>(ended.own_ns) / static_cast<double>(ended.ns);
    own_share_ += (share - own_share_) * 0.1;
  }
}

// The share of time for both dear levels; of it, `samples` for the dearest.
double LevelSchedule::Shares(double* samples) const {
  const double left = std::max(budget_ - own_share_, budget_ / 4);
  const double dearest = std::max(Cost(wire::kLevelSamples), kFree);
  const double records = std::max(Cost(wire::kLevelRecords), kFree);
  *samples = 0;
  if (most_ == wire::kLevelSamples)
    *samples = std::clamp(left * 0.4 / dearest, kLeastShare, kMostSampled);
  const double rest = std::max(left - *samples * dearest, 0.0);
  return *samples + std::clamp(rest / records, kLeastShare, 1 - *samples);
}

LevelSchedule::Step LevelSchedule::Plain(double share) {
  const double length = static_cast<double>(kDearNs) * (1 - share) / share;
  const auto mean = static_cast<int64_t>(std::max(length, kDearNs / 8.0));
  return {wire::kLevelLaunches, RandomNs(std::min(mean, kMostPlainNs))};
}

LevelSchedule::Step LevelSchedule::Dear() {
  const uint32_t least = std::min(records_.windows, samples_.windows);
  if (phase_ == Phase::kLearning) {
    const bool sample = most_ == wire::kLevelSamples && samples_.windows == least;
    return {sample ? wire::kLevelSamples : wire::kLevelRecords, RandomNs(kDearNs)};
  }
  double samples = 0;
  const double share = Shares(&samples);
  const bool sample = Random() * share < samples;
  return {sample ? wire::kLevelSamples : wire::kLevelRecords, RandomNs(kDearNs)};
}

LevelSchedule::Step LevelSchedule::Next(const Window& ended) {
  launches_seen_ += ended.launches;
  if (budget_ <= 0 || most_ <= wire::kLevelLaunches) return Everything();
  if (phase_ == Phase::kEverything) {
    if (launches_seen_ < kWarmUpLaunches || !HostIsLimit(ended)) return Everything();
    phase_ = records_.windows < kLearnWindows ? Phase::kLearning : Phase::kBudget;
    busy_windows_ = 0;
    return Plain(0.5);
  }
  Learn(ended);
  if (ended.level > wire::kLevelLaunches) {
    busy_windows_ = ended.gpu_busy >= kBusy ? busy_windows_ + 1 : 0;
    if (busy_windows_ >= kBusyWindows) return Everything();
    double samples = 0;
    return Plain(phase_ == Phase::kLearning ? 0.5 : Shares(&samples));
  }
  const bool learned = records_.windows >= kLearnWindows &&
                       (most_ < wire::kLevelSamples || samples_.windows >= kLearnWindows);
  phase_ = learned ? Phase::kBudget : Phase::kLearning;
  return Dear();
}

}  // namespace gprofx::cuda
