#include "core/slice/choose_part.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "core/base/arithmetic.h"
#include "core/base/format.h"

namespace gprofx {
namespace {

std::string KnownPhases(const Profile& profile) {
  std::string known;
  for (const Phase& phase : profile.phases.phases) {
    known += (known.empty() ? "" : ", ") + std::string(PhaseName(phase.kind));
  }
  return known.empty() ? "no phases were found in it" : "it has: " + known;
}

// Sets `part.steps` to the number of steps of the first train that lie completely in the range, and
// `part.first_step` to the first of them, counted from 1.
void CountSteps(const Profile& profile, ShownPart& part) {
  if (profile.phases.trains.empty()) return;
  const std::vector<TimeRange>& steps = profile.phases.trains[0].steps;
  for (size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].begin < part.range.begin || steps[i].end > part.range.end) continue;
    if (part.steps++ == 0) part.first_step = static_cast<uint32_t>(i + 1);
  }
}

Result<TimeRange> RangeOfSteps(const Profile& profile, const PartQuery::Steps& asked) {
  if (profile.phases.trains.empty()) {
    return Error{ErrorId::kNoSuchPart, "this recording has no steps",
                 "choose a time range instead, for example --range 12s..15s"};
  }
  const std::vector<TimeRange>& steps = profile.phases.trains[0].steps;
  if (asked.first < 1 || asked.first > asked.last || asked.last > steps.size()) {
    return Error{ErrorId::kNoSuchPart,
                 "this recording has no steps " + std::to_string(asked.first) + " to " +
                     std::to_string(asked.last),
                 "its steps are 1 to " + std::to_string(steps.size())};
  }
  return TimeRange{steps[asked.first - 1].begin, steps[asked.last - 1].end};
}

}  // namespace

int64_t OperationsIn(const Profile& profile) {
  const MetricId metric = profile.FindMetric(kMetricGpuOps);
  int64_t sum = 0;
  for (const Value& value : profile.values) {
    if (metric && value.metric == metric) sum = AddSaturated(sum, std::max<int64_t>(value.self, 0));
  }
  return sum;
}

std::optional<PartQuery> MiddlePart(const Profile& profile, int64_t most_operations) {
  const int64_t all = OperationsIn(profile);
  const HostNs end = EndOfRecording(profile);
  if (all <= most_operations || end <= 0) return std::nullopt;
  const double part = static_cast<double>(most_operations) / static_cast<double>(all);
  const Phase* steady = profile.phases.Find(PhaseKind::kSteady);
  const TimeRange shown = steady != nullptr ? steady->range : TimeRange{0, end};
  const HostNs length = SubtractSaturated(shown.end, shown.begin);
  const auto ns = std::max<HostNs>(static_cast<HostNs>(part * static_cast<double>(length)), 1);
  const HostNs from = shown.begin + (length - ns) / 2;
  PartQuery query;
  query.range = TimeRange{from, from + ns};
  if (profile.phases.trains.empty()) return query;
  const std::vector<TimeRange>& steps = profile.phases.trains[0].steps;
  const auto first = std::find_if(steps.begin(), steps.end(), [&](const TimeRange& step) {
    return step.begin >= query.range->begin;
  });
  const auto last = std::find_if(
      first, steps.end(), [&](const TimeRange& step) { return step.end > query.range->end; });
  if (first == last) return query;
  query.steps = PartQuery::Steps{static_cast<uint32_t>(first - steps.begin()) + 1,
                                 static_cast<uint32_t>(last - steps.begin())};
  query.range.reset();
  return query;
}

bool OnlyEventsHaveTimes(const Profile& profile) {
  if (profile.sample_rows > 0 || !profile.meta.contains("imported_from")) return false;
  const auto markers = profile.quality.find("import_markers");
  return !profile.gpu.streams.empty() || (markers != profile.quality.end() && markers->second > 0);
}

HostNs EndOfRecording(const Profile& profile) {
  if (profile.sources.size() > 1) {
    HostNs last = 0;
    for (const Source& source : profile.sources) {
      const auto found = source.meta.find("duration_ns");
      if (found == source.meta.end()) continue;
      const HostNs duration = strtoll(found->second.c_str(), nullptr, 10);
      last = std::max(last, AddSaturated(source.clock_offset_ns, duration));
    }
    if (last > 0) return last;
  }
  const auto told = profile.meta.find("duration_ns");
  if (told != profile.meta.end()) {
    if (const HostNs end = strtoll(told->second.c_str(), nullptr, 10); end > 0) return end;
  }
  HostNs end = 0;
  for (const Process& process : profile.processes) end = std::max(end, process.end);
  for (const Thread& thread : profile.threads) end = std::max(end, thread.end);
  return end;
}

Result<std::optional<ShownPart>> ChoosePart(const Profile& profile, const PartQuery& query) {
  ShownPart part;
  part.chosen = true;
  part.events_only = OnlyEventsHaveTimes(profile);
  if (query.range) {
    const HostNs end = EndOfRecording(profile);
    if (query.range->begin >= end || query.range->begin >= query.range->end) {
      return Error{ErrorId::kNoSuchPart,
                   "this recording has nothing from " + SecondsText(query.range->begin, 3) +
                       " to " + SecondsText(query.range->end, 3),
                   "it lasts from 0 s to " + SecondsText(end, 3)};
    }
    part.range = {std::max<HostNs>(query.range->begin, 0), std::min(query.range->end, end)};
  } else if (query.steps) {
    const Result<TimeRange> range = RangeOfSteps(profile, *query.steps);
    if (!range) return range.error();
    part.range = *range;
  } else if (query.phase) {
    const Phase* phase = profile.phases.Find(*query.phase);
    if (phase == nullptr) {
      return Error{ErrorId::kNoSuchPart,
                   "this recording has no phase '" + std::string(PhaseName(*query.phase)) + "'",
                   KnownPhases(profile)};
    }
    part.range = phase->range;
    part.phase = query.phase;
  } else {
    const Phase* steady = query.all ? nullptr : profile.phases.Find(PhaseKind::kSteady);
    // Show the whole recording: it contains more than a slice could.
    if (steady == nullptr || part.events_only) return {std::nullopt};
    part.range = steady->range;
    part.phase = PhaseKind::kSteady;
    part.chosen = false;
  }
  CountSteps(profile, part);
  return {std::optional<ShownPart>(part)};
}

}  // namespace gprofx
