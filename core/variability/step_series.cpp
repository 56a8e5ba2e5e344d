#include "core/variability/step_series.h"

#include <algorithm>
#include <map>

#include "core/base/quantile.h"
#include "core/variability/statistics/statistics.h"

namespace gprofx::variability {
namespace {

// A drop of the clock counts from this fraction on: clocks have steps of 15 MHz and fluctuate by a
// few of them.
constexpr double kMinClockDrop = 0.03;

std::vector<double>& AmountOf(StepSeries& series, StepCause cause) {
  return series.amount[static_cast<size_t>(cause)];
}

const ProcessEvidence* EvidenceOf(const Build& build, const LaneId& lane) {
  for (const ProcessEvidence& evidence : build.survey.files.at(lane.file).evidence) {
    if (evidence.process == lane.process) return &evidence;
  }
  return nullptr;
}

// Returns one column of the evidence: the values of `count` steps from `first` on. Empty if any of
// them is unknown.
std::vector<double> ColumnOf(const ProcessEvidence& evidence, Witness witness, size_t first,
                             size_t count) {
  std::vector<double> column;
  for (size_t i = first; i < evidence.steps.size() && column.size() < count; ++i) {
    const int64_t value = evidence.steps[i][static_cast<size_t>(witness)];
    if (value < 0) return {};
    column.push_back(static_cast<double>(value));
  }
  if (column.size() < count) return {};
  return column;
}

// Sets the amount of kCpu from the number of allowed CPUs, unless the amount is already known. In a
// step with fewer CPUs than the median, the whole step time may have been waiting for a CPU.
void AddCpus(const std::vector<double>& cpus, StepSeries& series) {
  if (cpus.empty() || !AmountOf(series, StepCause::kCpu).empty()) return;
  const double usual = Median(cpus);
  std::vector<double>& amount = AmountOf(series, StepCause::kCpu);
  for (size_t i = 0; i < cpus.size(); ++i) {
    amount.push_back(cpus[i] < usual ? series.time[i] : 0);
  }
  series.shown[static_cast<size_t>(StepCause::kCpu)] = cpus;
}

// Sets the amount of kClock to an upper bound: the ns by which a lower clock may lengthen the
// compute time, in proportion to the drop.
void AddClock(const std::vector<double>& clock, StepSeries& series) {
  const double usual = Median(clock);
  if (clock.empty() || usual <= 0) return;
  std::vector<double>& amount = AmountOf(series, StepCause::kClock);
  for (size_t i = 0; i < clock.size(); ++i) {
    const double drop = 1 - clock[i] / usual;
    amount.push_back(drop < kMinClockDrop ? 0 : series.parts[0][i] * drop);
  }
  series.shown[static_cast<size_t>(StepCause::kClock)] = clock;
}

void AddWitnesses(const Build& build, StepSeries& series) {
  const ProcessEvidence* evidence = EvidenceOf(build, build.plan.lanes[series.lane].id);
  if (evidence == nullptr) return;
  const auto column = [&](Witness witness) {
    return ColumnOf(*evidence, witness, series.warm_up, series.time.size());
  };
  AmountOf(series, StepCause::kCpu) = column(Witness::kReady);
  AddCpus(column(Witness::kCpus), series);
  AmountOf(series, StepCause::kAllocator) = column(Witness::kAllocator);
  AmountOf(series, StepCause::kFaults) = column(Witness::kFaults);
  AmountOf(series, StepCause::kLoader) = column(Witness::kLoader);
  AddClock(column(Witness::kClock), series);
}

StepSeries OfLane(const Build& build, uint32_t lane) {
  const PlanLane& plan = build.plan.lanes[lane];
  StepSeries series;
  series.lane = lane;
  series.warm_up = plan.warm_up;
  for (uint32_t k = plan.warm_up; k < plan.steps.size(); ++k) {
    const auto found = build.tally.steps.find({lane, k});
    const StepTally step = found == build.tally.steps.end() ? StepTally{} : found->second;
    double idle = static_cast<double>(plan.steps[k].end - plan.steps[k].begin);
    series.time.push_back(idle);
    for (size_t i = 0; i < kParts; ++i) {
      series.parts[i].push_back(static_cast<double>(step.parts[i]));
      idle -= static_cast<double>(step.parts[i]);
    }
    series.parts[kParts].push_back(idle);
    series.stretched.push_back(step.stretched);
    const auto add = [&](StepCause cause, size_t i) {
      AmountOf(series, cause).push_back(static_cast<double>(step.excess[i]));
    };
    add(StepCause::kCopy, static_cast<size_t>(Beside::kCopy));
    // Copies may share one copy engine. A step then also waits for copies that were queued before
    // its own.
    AmountOf(series, StepCause::kCopy).back() += static_cast<double>(step.parts[kParts - 1]);
    add(StepCause::kCollective, static_cast<size_t>(Beside::kCollective));
    add(StepCause::kKernel, static_cast<size_t>(Beside::kKernel));
  }
  return series;
}

// Sets the amount of kAnotherProcess, or of kWholeGpu if the GPU clock is unknown. If executions
// with nothing beside them take longer, only another process or a lower clock can be the reason.
void AddAlone(const Build& build, StepSeries& series) {
  const bool has_clock = !AmountOf(series, StepCause::kClock).empty();
  std::vector<double>& amount =
      AmountOf(series, has_clock ? StepCause::kAnotherProcess : StepCause::kWholeGpu);
  for (size_t i = 0; i < series.time.size(); ++i) {
    const auto found =
        build.tally.steps.find({series.lane, series.warm_up + static_cast<uint32_t>(i)});
    amount.push_back(
        found == build.tally.steps.end() ? 0 : static_cast<double>(found->second.excess[kBesides]));
  }
}

// Adds the causes that made a rank late to the steps of the ranks that waited for it.
void Inherit(const Build& build, std::vector<StepSeries>& all) {
  std::map<uint32_t, size_t> place;
  for (size_t i = 0; i < all.size(); ++i) place[all[i].lane] = i;
  const std::vector<StepSeries> own = all;
  std::vector<std::array<double, kStepCauses>> usual(all.size());
  const bool has_late = build.tally.matches.HasLate();
  for (size_t i = 0; i < all.size(); ++i) {
    for (size_t k = 0; k < kStepCauses; ++k) usual[i][k] = Median(own[i].amount[k]);
    if (has_late) {
      AmountOf(all[i], StepCause::kLateRank).assign(all[i].time.size(), 0);
    }
  }
  for (const auto& [wait, ns] : build.tally.matches.waits) {
    const auto mine = place.find(wait.lane);
    if (mine == place.end()) continue;
    const auto step = static_cast<size_t>(wait.step);
    StepSeries& series = all[mine->second];
    const auto late_ns = static_cast<double>(ns);
    AmountOf(series, StepCause::kLateRank)[step] += late_ns;
    const auto late = place.find(wait.late);
    if (late == place.end() || wait.late == wait.lane || wait.late_step < 0) continue;
    for (size_t k = 0; k < static_cast<size_t>(StepCause::kLateRank); ++k) {
      const std::vector<double>& theirs = own[late->second].amount[k];
      if (theirs.empty() || series.amount[k].empty()) continue;
      const double more = theirs[static_cast<size_t>(wait.late_step)] - usual[late->second][k];
      series.amount[k][step] += std::clamp(more, 0.0, late_ns);
    }
  }
}

}  // namespace

std::vector<StepSeries> SeriesOf(const Build& build) {
  std::vector<StepSeries> all;
  for (uint32_t lane = 0; lane < build.plan.lanes.size(); ++lane) {
    const PlanLane& plan = build.plan.lanes[lane];
    if (plan.steps.size() < plan.warm_up + kFewestSteps) continue;
    all.push_back(OfLane(build, lane));
    AddWitnesses(build, all.back());
    AddAlone(build, all.back());
  }
  Inherit(build, all);
  return all;
}

}  // namespace gprofx::variability
