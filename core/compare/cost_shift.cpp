#include "core/compare/cost_shift.h"

#include <cmath>

namespace gprofx::compare {
namespace {

constexpr double kCompensated = 0.8;  // time given / time taken that counts as compensated
constexpr double kMinGiven = 0.5;     // minimum of the same if the difference is within the error
constexpr double kClear = 2;          // standard errors
constexpr double kMayGive = 0.5;      // maximum false discovery rate of a part that gives time
constexpr double kPassedOn = 0.5;     // slowdown of the caller / of the part; below it, it moved

bool IsRegression(const Change& change) { return change.outcome.verdict == Verdict::kRegression; }

bool IsInBoth(const Change& change) {
  return change.fate != Change::kNew && change.fate != Change::kGone;
}

// True if the part became faster, so that its time can offset the slowdown of others. The evidence
// needed is weaker than for reported changes, because a false regression does more harm than a
// regression that is called moved.
bool MayGive(const Change& change) {
  if (!IsInBoth(change)) return change.outcome.head < change.outcome.base;
  return change.outcome.tested && change.outcome.estimate.effect < 0 &&
         change.outcome.rate <= kMayGive;
}

bool Takes(const Change& change) {
  if (!IsInBoth(change)) return change.outcome.head > change.outcome.base;
  return IsRegression(change);
}

// Sum of the changes of several parts, in absolute value, and its variance.
struct Sum {
  double time = 0, variance = 0;

  void Add(const Outcome& outcome) {
    time += std::fabs(outcome.head - outcome.base);
    const double error = outcome.tested ? outcome.estimate.error * outcome.base : 0;
    variance += error * error;
  }
};

// True if the time that faster parts gave up (given) offsets the time that slower parts gained
// (taken). It does if it is at least kCompensated of it. It also does if it is at least kMinGiven
// of it and the difference is within kClear standard errors.
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

// True if the main caller, including all callees, is certainly slower by less than kPassedOn of the
// slowdown of the part. Other callees then gave up the time.
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
