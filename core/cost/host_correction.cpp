#include "core/cost/host_correction.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <unordered_map>

#include "core/base/arithmetic.h"
#include "core/model/kept_quality.h"
#include "core/model/profile.h"
#include "core/wall/wall_partition.h"

namespace gprofx {
namespace {

__extension__ using Wide = __int128;

constexpr int64_t kMillion = 1'000'000;

int64_t Narrow(Wide value) {
  constexpr Wide kMin = std::numeric_limits<int64_t>::min();
  constexpr Wide kMax = std::numeric_limits<int64_t>::max();
  return static_cast<int64_t>(std::clamp(value, kMin, kMax));
}

int64_t DivideRounded(Wide dividend, Wide divisor) {
  const Wide half = divisor / 2;
  return Narrow((dividend < 0 ? dividend - half : dividend + half) / divisor);
}

bool IsBusy(const WallPart& part) { return part.name.starts_with("gpu."); }

// Corrects the parts of the wall time. The idle parts get the corrected wall time that is left
// after the busy time; profiling is reduced first. Running totals are scaled and rounded, not
// single parts: the rounded parts then add up exactly.
void CorrectWall(const HostCorrection& correction, std::vector<WallPart>& parts) {
  int64_t busy = 0, idle = 0;
  WallPart* profiling = nullptr;
  for (WallPart& part : parts) {
    if (part.name == SharePart(HostClass::kProfiling)) profiling = &part;
    int64_t& sum = IsBusy(part) ? busy : idle;
    sum = AddSaturated(sum, std::max<int64_t>(part.ns, 0));
  }
  if (idle == 0) return;
  const int64_t wall = HostTime(correction, AddSaturated(busy, idle));
  int64_t left = std::max<int64_t>(SubtractSaturated(wall, busy), 0);
  if (profiling != nullptr && profiling->ns > 0) {
    idle -= profiling->ns;
    profiling->ns = std::clamp<int64_t>(left - idle, 0, profiling->ns);
    left -= profiling->ns;
  }
  int64_t before = 0, shared = 0;
  for (WallPart& part : parts) {
    if (IsBusy(part) || &part == profiling || part.ns <= 0) continue;
    before = AddSaturated(before, part.ns);
    const int64_t end = DivideRounded(Wide{before} * left, idle);
    part.margin_ns = DivideRounded(Wide{part.margin_ns} * left, idle);
    part.ns = end - shared;
    shared = end;
  }
  std::erase_if(parts, [](const WallPart& part) {
    return part.name == SharePart(HostClass::kProfiling) && part.ns == 0;
  });
}

// Corrects CPU time and its split into time with and without the GIL. Running totals are scaled and
// rounded, not single terms: the rounded terms then add up to the CPU time.
class LockParts {
 public:
  LockParts(const Profile& profile, const std::vector<Value>& values)
      : with_(profile.FindMetric("cpu_gil")), without_(profile.FindMetric("cpu_nogil")) {
    if (!with_ || !without_) return;
    for (const Value& value : values) {
      if (value.metric == with_) held_[Key(value)] = value.self;
    }
  }

  int64_t Corrected(const HostCorrection& correction, const Value& value) const {
    if (!without_ || value.metric != without_) return SampledTime(correction, value.self);
    const auto found = held_.find(Key(value));
    if (found == held_.end()) return SampledTime(correction, value.self);
    return SubtractSaturated(SampledTime(correction, AddSaturated(found->second, value.self)),
                             SampledTime(correction, found->second));
  }

 private:
  static uint64_t Key(const Value& value) {
    return uint64_t{value.node.value} << 32 | value.thread.value;
  }

  const MetricId with_, without_;
  std::unordered_map<uint64_t, int64_t> held_;
};

void CorrectValues(const HostCorrection& correction, const Profile& profile,
                   std::vector<Value>& values) {
  const LockParts lock(profile, values);
  for (Value& value : values) {
    if (!value.metric) continue;
    const Metric& metric = profile.metrics[value.metric.index()];
    if (!IsHostTime(metric)) continue;
    value.self = metric.kind == MetricKind::kSampled ? lock.Corrected(correction, value)
                                                     : HostTime(correction, value.self);
  }
}

void CorrectLanes(const HostCorrection& correction, std::vector<WallLane>& lanes) {
  for (WallLane& lane : lanes) CorrectWall(correction, lane.parts);
}

}  // namespace

bool IsHostTime(const Metric& metric) {
  constexpr std::string_view kOfGpus[] = {kMetricGpu, kMetricGpuEstimated, kMetricGpuError,
                                          kMetricGpuOverlapped};
  return metric.unit == "ns" &&
         std::find(std::begin(kOfGpus), std::end(kOfGpus), metric.name) == std::end(kOfGpus);
}

int64_t HostTime(const HostCorrection& correction, int64_t ns) {
  return DivideRounded(Wide{ns} * kMillion, Wide{kMillion} + correction.ppm);
}

int64_t SampledPpm(const HostCorrection& correction) {
  const Wide whole = Wide{kMillion} + correction.ppm;
  return std::max<int64_t>(
      DivideRounded(whole * (kMillion - correction.left_out_ppm), kMillion) - kMillion, 0);
}

int64_t SampledTime(const HostCorrection& correction, int64_t ns) {
  return DivideRounded(Wide{ns} * kMillion, Wide{kMillion} + SampledPpm(correction));
}

int64_t HostTime(const Profile& profile, int64_t ns) {
  return profile.corrected ? HostTime(*profile.corrected, ns) : ns;
}

void Correct(const HostCorrection& correction, Profile& profile) {
  KeepQuality(profile);
  CorrectValues(correction, profile, profile.values);
  CorrectWall(correction, profile.gpu.wall);
  CorrectLanes(correction, profile.gpu.lanes);
  for (Thread& thread : profile.threads) {
    thread.cpu_ns = HostTime(correction, thread.cpu_ns);
    thread.lost_ns = HostTime(correction, thread.lost_ns);
  }
  profile.corrected = correction;
}

void CorrectPart(const Profile& profile, std::vector<Value>& values, std::vector<WallPart>& wall,
                 std::vector<WallLane>& lanes) {
  if (!profile.corrected) return;
  CorrectValues(*profile.corrected, profile, values);
  CorrectWall(*profile.corrected, wall);
  CorrectLanes(*profile.corrected, lanes);
}

}  // namespace gprofx
