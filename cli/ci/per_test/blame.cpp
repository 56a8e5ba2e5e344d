#include "cli/ci/per_test/blame.h"

#include <algorithm>
#include <cmath>

#include "core/compare/per_call.h"
#include "core/views/naming/names.h"

namespace gprofx {
namespace {

using compare::Change;

constexpr size_t kMaxBlamed = 5;
// A function whose change is a smaller fraction of the change of the whole is left out.
constexpr double kLeastOfChange = 0.1;

// Returns the change in time per call, reduced by one standard error. With this order, a large but
// noisy change of a function does not rank before the function that really changed.
double SureChange(const Change& change) {
  const double more = change.outcome.head - change.outcome.base;
  const double noise =
      change.outcome.tested
          ? change.outcome.estimate.error * std::max(change.outcome.base, change.outcome.head)
          : 0;
  return std::copysign(std::max(std::fabs(more) - noise, 0.0), more);
}

Blamed BlamedOf(const Change& change, const std::vector<Change>& lines, bool slower) {
  const compare::Part& part = change.part;
  Blamed blamed{std::string(KindWord(part.kind, part.name)),
                part.name,
                part.file,
                part.line,
                part.seen_file,
                part.seen_line,
                change.outcome.base,
                change.outcome.head};
  // Find the line of the function that changed most, and name it too.
  double most = 0;
  for (const Change& line : lines) {
    if (line.part.of.empty() || line.part.of != change.key || line.part.file.empty()) continue;
    const double more = SureChange(line) * (slower ? 1 : -1);
    if (more <= most) continue;
    most = more;
    blamed.file = line.part.file;
    blamed.line = line.part.line;
  }
  return blamed;
}

void Blame(const compare::Diff& diff, bool slower, BenchmarkResult& out) {
  const double sign = slower ? 1 : -1;
  std::vector<const Change*> all;
  for (const auto* list : {&diff.functions, &diff.kernels}) {
    for (const Change& change : *list) all.push_back(&change);
  }
  std::stable_sort(all.begin(), all.end(), [&](const Change* a, const Change* b) {
    return SureChange(*a) * sign > SureChange(*b) * sign;
  });
  const double whole = std::fabs(out.head_ns - out.base_ns);
  for (const Change* change : all) {
    if (out.blamed.size() == kMaxBlamed) break;
    if (SureChange(*change) * sign <= kLeastOfChange * whole) break;
    out.blamed.push_back(BlamedOf(*change, diff.lines, slower));
  }
}

ChangedCount ChangedCountOf(const compare::CountChange& change, const BlameInput& input) {
  ChangedCount count{change.name, change.base, change.head, "run"};
  if (!change.per_step || !input.marks_batches) return count;
  count.per = "batch";
  if (input.calls <= 0 || count.base % input.calls != 0 || count.head % input.calls != 0) {
    return count;
  }
  return {change.name, count.base / input.calls, count.head / input.calls, "call"};
}

}  // namespace

double TimeOfClock(const BenchmarkTimes& times, const std::string& metric) {
  return metric == "wall" || times.cpu_ns <= 0 ? times.wall_ns : times.cpu_ns;
}

void ExplainChange(const BlameInput& input, const compare::Settings& settings, bool changed,
                   BenchmarkResult& out) {
  bool steps = input.marks_batches;
  for (const auto* side : {&input.base, &input.head}) {
    for (const compare::Run& run : *side) steps = steps && run.steps.has_value();
  }
  bool converted = true;
  for (size_t i = 0; i < input.base.size(); ++i) {
    converted = ExpressPerCall(input.base[i], input.base_ns[i], steps) && converted;
    converted = ExpressPerCall(input.head[i], input.head_ns[i], steps) && converted;
  }
  compare::Diff diff = compare::CompareRuns(input.base, input.head, settings);
  BlameInput used = input;
  used.marks_batches = steps;
  for (const compare::CountChange& change : diff.counts) {
    out.counts.push_back(ChangedCountOf(change, used));
  }
  // Times of runs that are not per call are not comparable with the others.
  if (!changed || !converted || diff.unit != compare::Unit::kStep) return;
  Blame(diff, out.verdict == BenchmarkVerdict::kSlower, out);
  diff.unit = compare::Unit::kCall;
  out.diff = std::move(diff);
  out.diff_of_steps = steps;
}

}  // namespace gprofx
