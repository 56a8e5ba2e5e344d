#include "core/compare/cost_shift.h"

#include <cmath>

namespace gprofx::compare {
namespace {

constexpr double kCompensated = 0.8;  // minimum of given / taken time for a slowdown to be offset
constexpr double kMinGiven = 0.5;     // the same if the difference is within the error
constexpr double kClear = 2;      // standard errors within which a difference may be due to chance
constexpr double kMayGive = 0.5;  // maximum false discovery rate of a part that became faster
// Time only moved if the caller slowed down by less than this fraction of the part's slowdown.
constexpr double kPassedOn = 0.5;

bool IsRegression(const Change& change) { return change.outcome.verdict == Verdict::kRegression; }

bool IsInBoth(const Change& change) {
  return change.fate != Change::kNew && change.fate != Change::kGone;
}

// True if the part became faster: its time may have moved to slower parts. This requires less
// evidence than a reported change, because a false regression does more harm than a regression that
// is reported as moved.
bool MayGive(const Change& change) {
  if (!IsInBoth(change)) return change.outcome.head < change.outcome.base;
  return change.outcome.tested && change.outcome.estimate.effect < 0 &&
         change.outcome.rate <= kMayGive;
}

bool Takes(const Change& change) {
  if (!IsInBoth(change)) return change.outcome.head > change.outcome.base;
  return IsRegression(change);
}

// Sum of the absolute changes of several parts, and its variance.
struct Sum {
  double time = 0, variance = 0;

  void Add(const Outcome& outcome) {
    time += std::fabs(outcome.head - outcome.base);
    const double error = outcome.tested ? outcome.estimate.error * outcome.base : 0;
    variance += error * error;
  }
};

// True if the time that faster parts saved (`given`) offsets the time that slower parts gained
// (`taken`). That holds if `given` is at least kCompensated of `taken`, or if it is at least
// kMinGiven of `taken` and the difference is within kClear standard errors.
bool IsPaidFor(const std::vector<Change>& changes) {
  Sum taken, given;
  for (const Change& change : changes) {
    if (Takes(change)) taken.Add(change.outcome);
    if (MayGive(change)) given.Add(change.outcome);
  }
  if (taken.time <= 0) return false;
  if (given.time >= kCompensated * taken.time) return true;
  const double rest = taken.time - given.time;
  return given.time >= kMinGiven * taken.time &&
         rest <= kClear * std::sqrt(taken.variance + given.variance);
}

// True if the main caller of the part, including all its callees, certainly slowed down by less
// than kPassedOn of the part's slowdown. Other callees then became faster.
bool IsPassedOn(const Change& change) {
  if (!change.caller.tested) return false;
  const double cost = change.outcome.base * std::expm1(change.outcome.estimate.effect);
  return change.caller.base * std::expm1(change.caller.interval.high) < kPassedOn * cost;
}

}  // namespace

void FindMoved(const Outcome& whole, std::vector<Change>& changes) {
  const bool is_slower = whole.verdict == Verdict::kRegression;
  const bool paid = !is_slower && IsPaidFor(changes);
  for (Change& change : changes) {
    const bool waits = !is_slower && change.part.waits;
    change.moved = IsRegression(change) && (paid || waits || IsPassedOn(change));
  }
}

}  // namespace gprofx::compare
