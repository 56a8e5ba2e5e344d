#include "core/compare/unit.h"

#include <algorithm>
#include <cmath>

namespace gprofx::compare {
namespace {

constexpr int64_t kMinSteadySteps = 3;
constexpr double kOtherNumber = 1.5;    // minimum ratio of the numbers of steps of the sides
constexpr double kMaxTimeRatio = 0.15;  // maximum logarithm of the ratio of the total times

struct MeanSteps {
  double steps = 0, ns = 0;
};

MeanSteps Mean(std::span<const Run> runs) {
  MeanSteps mean;
  for (const Run& run : runs) {
    mean.steps += static_cast<double>(run.steps->steps) / static_cast<double>(runs.size());
    mean.ns += run.steps->step_ns / static_cast<double>(runs.size());
  }
  return mean;
}

// True if the steps of one side may each be several steps of the other: one side has fewer steps,
// and they are longer by about the same factor.
bool MayBeMultiples(std::span<const Run> base, std::span<const Run> head) {
  const MeanSteps a = Mean(base), b = Mean(head);
  const double number = std::fabs(std::log(a.steps / b.steps));
  const double time = std::fabs(std::log(a.steps * a.ns / (b.steps * b.ns)));
  return number > std::log(kOtherNumber) && time < kMaxTimeRatio;
}

}  // namespace

UnitChoice ChooseUnit(std::span<const Run> base, std::span<const Run> head) {
  size_t with = 0, without = 0, few = 0;
  bool same = true;
  const RunSteps* first = nullptr;
  for (const auto side : {base, head}) {
    for (const Run& run : side) {
      ++(run.steps ? with : without);
      if (!run.steps) continue;
      if (run.steps->steps < kMinSteadySteps) ++few;
      if (first == nullptr) first = &*run.steps;
      same = same && run.steps->source == first->source;
    }
  }
  if (with == 0) return {};
  if (without > 0) return {Unit::kRun, "steps were found in some of the runs only"};
  if (few > 0) return {Unit::kRun, "a run has fewer than three steps after its warm-up"};
  if (!same) return {Unit::kRun, "the steps of the runs were found in different ways"};
  if (first->source != StepSource::kMarkers && MayBeMultiples(base, head)) {
    return {Unit::kRun, "a step of one side may be several of the other"};
  }
  return {Unit::kStep, ""};
}

std::vector<Piece> PiecesOf(std::span<const Run> runs, Unit unit) {
  std::vector<Piece> pieces;
  for (const Run& run : runs) {
    if (unit == Unit::kRun) {
      pieces.push_back({&run, 1, 0});
    } else {
      pieces.push_back(
          {&run.steps->work, static_cast<double>(run.steps->steps), run.steps->step_ns});
    }
  }
  return pieces;
}

}  // namespace gprofx::compare
