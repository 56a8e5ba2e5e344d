#include "samplers/recorder/own_cost_windows.h"

#include <algorithm>
#include <cmath>

#include "core/level_windows.h"

namespace gprofx {
namespace {

constexpr int64_t kLeastPairs = 5;
// A quiet window that its end does not reach ends by itself.
constexpr HostNs kLongestQuiet = 500'000'000, kLongestHold = 1'000'000'000;

PairedCost RecordsCost(const std::map<std::string, int64_t>& quality) {
  const auto ratio = [&](const char* name) {
    const auto found = quality.find(name);
    return found == quality.end() ? 1.0 : 1 + static_cast<double>(found->second) / 1e6;
  };
  return {0, ratio("gpu_records_cost_ppm"), ratio("gpu_records_cost_low_ppm"),
          ratio("gpu_records_cost_high_ppm")};
}

double Number(const std::map<std::string, int64_t>& quality, const char* name) {
  const auto found = quality.find(name);
  return found == quality.end() ? 0 : static_cast<double>(std::max<int64_t>(found->second, 0));
}

CostParts PartsOf(const PairedCost& sampling, double sampling_share,
                  const std::map<std::string, int64_t>& quality) {
  CostParts parts;
  parts.sampling = sampling;
  parts.sampling_share = sampling_share;
  const RecordsMade made = RecordsMadeOf(quality);
  const auto all = static_cast<double>(made.traced_ns) + static_cast<double>(made.counted_ns);
  if (all <= 0) return parts;
  parts.records = RecordsCost(quality);
  parts.records_share = RecordsShare(made);
  parts.launch_share = std::min(1.0, Number(quality, "gpu_launch_total_ns") / all);
  return parts;
}

}  // namespace

QuietWindows::Look OwnCostWindows::LookAt(const ProcessTable& processes) const {
  const uint64_t launches = processes.Totals().gpu.counters[wire::kGpuLaunches];
  return {session_.Now(), static_cast<int64_t>(launches & INT64_MAX), processes.CommonLevel()};
}

void OwnCostWindows::SetQuiet(bool quiet) {
  if (quiet == quiet_) return;
  quiet_ = quiet;
  const HostNs until =
      quiet ? std::min(windows_.next(), session_.Now() + kLongestQuiet) : HostNs{0};
  session_.SetQuietUntil(until);
  events_.Pause(quiet);
}

void OwnCostWindows::SetHold() {
  const HostNs until = windows_.compares() ? session_.Now() + kLongestHold : 0;
  session_.SetLevelHoldUntil(until);
}

void OwnCostWindows::Follow(const ProcessTable& processes, bool own) {
  if (!wanted_ || session_.Now() < windows_.next()) return;
  if (!own || !processes.CommonLevel()) {
    Stop();
    return;
  }
  const bool quiet = windows_.End(LookAt(processes));
  SetHold();
  SetQuiet(quiet);
  windows_.Begin(LookAt(processes));
}

void OwnCostWindows::Stop() {
  if (!wanted_) return;
  windows_.Cancel(session_.Now());
  SetHold();
  SetQuiet(false);
}

void OwnCostWindows::Describe(double sampling_share,
                              std::map<std::string, int64_t>& quality) const {
  const PairedCost sampling = windows_.cost();
  NoOwnCost missing = NoOwnCost::kNone;
  if (!wanted_) {
    missing = NoOwnCost::kNotAsked;
  } else if (Number(quality, "gpu_launches") <= 0) {
    missing = NoOwnCost::kNoLaunches;
  } else if (sampling.pairs < kLeastPairs) {
    missing = NoOwnCost::kFewWindows;
  }
  quality["own_cost_missing"] = static_cast<int64_t>(missing);
  if (wanted_) quality["own_cost_quiet_ns"] = windows_.quiet_ns();
  if (missing != NoOwnCost::kNone) return;
  const auto millionths = [](double ratio) { return std::llround((ratio - 1) * 1e6); };
  const CostParts parts = PartsOf(sampling, sampling_share, quality);
  const PairedCost all = OwnCost(parts);
  quality["own_cost_windows"] = all.pairs;
  quality["own_cost_ppm"] = millionths(all.ratio);
  quality["own_cost_low_ppm"] = millionths(all.low);
  quality["own_cost_high_ppm"] = millionths(all.high);
  quality["own_cost_sampling_ppm"] = millionths(SamplingCost(parts).ratio);
  quality["own_cost_sampling_seen_ppm"] = millionths(sampling.ratio);
  if (sampling_share > 0) {
    quality["own_cost_sampling_timed_ppm"] = millionths(1 + sampling_share);
  }
}

}  // namespace gprofx
