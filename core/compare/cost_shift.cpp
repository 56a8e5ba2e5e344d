#include "core/compare/cost_shift.h"

#include <cmath>

namespace gprofx::compare {
namespace {

constexpr double kCompensated = 0.8;  // of what some functions take longer, others give
constexpr double kMinGiven = 0.5;     // likewise, where it cannot be told from all of it
constexpr double kClear = 2;          // standard errors
constexpr double kMayGive = 0.5;      // rate of false discoveries of those that give
constexpr double kPassedOn = 0.5;     // of what a function takes longer, its caller must take

bool IsRegression(const Change& change) { return change.outcome.verdict == Verdict::kRegression; }

bool IsInBoth(const Change& change) {
  return change.fate != Change::kNew && change.fate != Change::kGone;
}

// Is it enough to stand against what others take? Less is asked than of a change that is reported:
// a regression that is none does more harm than one that is called moved.
bool MayGive(const Change& change) {
  if (!IsInBoth(change)) return change.outcome.head < change.outcome.base;
  return change.outcome.tested && change.outcome.estimate.effect < 0 &&
         change.outcome.rate <= kMayGive;
}

bool Takes(const Change& change) {
  if (!IsInBoth(change)) return change.outcome.head > change.outcome.base;
  return IsRegression(change);
}

// Time that is taken or given, and how uncertain it is.
struct Sum {
  double time = 0, variance = 0;

  void Add(const Outcome& outcome) {
    time += std::fabs(outcome.head - outcome.base);
    const double error = outcome.tested ? outcome.estimate.error * outcome.base : 0;
    variance += error * error;
  }
};

// What some give pays for what others take, unless it is clearly less.
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

// What the caller surely does not take longer, another one of those that it calls has given.
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
