#include "core/compare/diff.h"

#include <algorithm>
#include <cmath>

#include "core/compare/changes.h"
#include "core/compare/cost_shift.h"
#include "core/compare/count_changes.h"
#include "core/compare/rules/finding_check.h"
#include "core/compare/rules/gate.h"
#include "core/compare/statistics/points.h"
#include "core/compare/unit.h"

namespace gprofx::compare {
namespace {

bool Has(const Diff& diff, Verdict verdict) {
  const auto is = [&](const Change& change) {
    return change.outcome.verdict == verdict && !change.moved && change.suppressed_by.empty();
  };
  return diff.total.verdict == verdict || diff.gpu_total.verdict == verdict ||
         std::any_of(diff.functions.begin(), diff.functions.end(), is) ||
         std::any_of(diff.kernels.begin(), diff.kernels.end(), is);
}

Verdict VerdictOf(const Diff& diff) {
  if (!diff.obstacles.empty()) return Verdict::kInconclusive;
  for (const Verdict verdict : {Verdict::kRegression, Verdict::kImprovement}) {
    if (Has(diff, verdict)) return verdict;
  }
  return diff.total.verdict;
}

void ChooseUnitOf(std::span<const Run> base, std::span<const Run> head, Diff& diff) {
  const UnitChoice choice = ChooseUnit(base, head);
  diff.unit = choice.unit;
  if (!choice.why_not.empty()) {
    diff.differences.push_back({Obstacle::kNoSteps, choice.why_not, "", ""});
  }
  if (choice.unit == Unit::kRun) return;
  diff.steps.source = base.front().steps->source;
  for (const Run& run : base) diff.steps.base.push_back(run.steps->steps);
  for (const Run& run : head) diff.steps.head.push_back(run.steps->steps);
}

Series StepTimes(const Sides& sides) {
  Series series;
  for (const Piece& piece : sides.base) series.base.push_back(piece.unit_ns);
  for (const Piece& piece : sides.head) series.head.push_back(piece.unit_ns);
  return series;
}

// Returns the GPU time of each run, and its relative error if it is an estimate.
Series GpuTotal(const Sides& sides) {
  Series series = SeriesOf(sides, &WorkDone::gpu_ns);
  const auto fill = [](const std::vector<Piece>& pieces, std::vector<double>& errors) {
    const bool estimated = std::any_of(
        pieces.begin(), pieces.end(), [](const Piece& piece) { return piece.work->gpu_error > 0; });
    if (!estimated) return;
    for (const Piece& piece : pieces) errors.push_back(piece.work->gpu_error);
  };
  fill(sides.base, series.base_error);
  fill(sides.head, series.head_error);
  return series;
}

bool AllHave(const Sides& sides, double WorkDone::*value) {
  const auto has = [&](const Piece& piece) { return piece.work->*value > 0; };
  return std::all_of(sides.base.begin(), sides.base.end(), has) &&
         std::all_of(sides.head.begin(), sides.head.end(), has);
}

SharePoints IdleOf(const Sides& sides, const Settings& settings) {
  if (!AllHave(sides, &WorkDone::wall_ns)) return {};
  const auto shares = [](const std::vector<Piece>& pieces) {
    std::vector<double> list;
    for (const Piece& piece : pieces) list.push_back(piece.work->gpu_idle_ns / piece.work->wall_ns);
    return list;
  };
  return ComparePoints(shares(sides.base), shares(sides.head), settings.paired,
                       settings.confidence);
}

SharePoints SpreadOf(const Sides& sides, const Settings& settings) {
  if (!AllHave(sides, &WorkDone::step_spread)) return {};
  const auto logs = [](const std::vector<Piece>& pieces) {
    std::vector<double> list;
    for (const Piece& piece : pieces) list.push_back(std::log(piece.work->step_spread));
    return list;
  };
  return ComparePoints(logs(sides.base), logs(sides.head), settings.paired, settings.confidence);
}

void LookForNew(const Sides& sides, Parts WorkDone::*parts, std::vector<Change>& changes) {
  for (Change& change : changes) {
    if (change.fate != Change::kNew) continue;
    const auto has = [&](const Piece& piece) {
      const auto found = (piece.work->*parts).find(change.key);
      return found != (piece.work->*parts).end() &&
             (found->second.ns > 0 || found->second.total_ns > 0);
    };
    change.in_every_head_run = std::all_of(sides.head.begin(), sides.head.end(), has);
  }
}

}  // namespace

const std::vector<Change>* ListOf(const Diff& diff, RuleResult::Subject subject) {
  switch (subject) {
    case RuleResult::kFunction:
      return &diff.functions;
    case RuleResult::kKernel:
      return &diff.kernels;
    case RuleResult::kLine:
      return &diff.lines;
    case RuleResult::kOperator:
      return &diff.operators;
    case RuleResult::kWhole:
    case RuleResult::kCount:
    case RuleResult::kFinding:
      break;
  }
  return nullptr;
}

void Judge(Diff& diff) {
  FindMoved(diff.clock_total, diff.functions);
  FindMoved(diff.gpu_total, diff.kernels);
  for (auto* list : {&diff.functions, &diff.kernels, &diff.lines, &diff.operators}) {
    SortByImportance(*list);
  }
  diff.verdict = VerdictOf(diff);
}

Diff CompareRuns(std::span<const Run> base, std::span<const Run> head, const Settings& settings) {
  Diff diff;
  diff.base_runs = base.size();
  diff.head_runs = head.size();
  if (base.empty() || head.empty()) return diff;
  Settings used = settings;
  used.paired = settings.paired && base.size() == head.size();
  diff.paired = used.paired;
  diff.metric = head.front().metric;
  diff.obstacles = Obstacles(base, head);
  diff.differences = Notes(base, head, settings);
  ChooseUnitOf(base, head, diff);
  CompareCounts(base, head, diff);
  CompareFindings(base, head, diff);

  const Sides sides{PiecesOf(base, diff.unit), PiecesOf(head, diff.unit)};
  const Series clock = SeriesOf(sides, &WorkDone::total_ns);
  diff.clock_total = Compare(clock, {}, used).total;
  diff.total =
      diff.unit == Unit::kStep ? Compare(StepTimes(sides), {}, used).total : diff.clock_total;
  const auto compare = [&](Parts WorkDone::*parts, const Series& total) {
    ComparedParts compared = CompareParts(sides, parts, total, used);
    LookForNew(sides, parts, compared.changes);
    return compared;
  };
  ComparedParts functions = compare(&WorkDone::functions, clock);
  diff.global = functions.global;
  diff.functions = std::move(functions.changes);
  diff.lines = compare(&WorkDone::lines, clock).changes;
  diff.operators = compare(&WorkDone::operators, clock).changes;
  if (AllHave(sides, &WorkDone::gpu_ns)) {
    const Series gpu = GpuTotal(sides);
    diff.gpu_total = Compare(gpu, {}, used).total;
    ComparedParts kernels = compare(&WorkDone::kernels, gpu);
    diff.gpu_global = kernels.global;
    diff.kernels = std::move(kernels.changes);
  }
  diff.gpu_idle = IdleOf(sides, used);
  diff.step_spread = SpreadOf(sides, used);
  if (AllHave(sides, &WorkDone::step_spread)) {
    for (const Piece& piece : sides.head) diff.head_spreads.push_back(piece.work->step_spread);
  }
  Judge(diff);
  return diff;
}

}  // namespace gprofx::compare
