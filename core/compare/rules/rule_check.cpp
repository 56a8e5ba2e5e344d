#include "core/compare/rules/rule_check.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/format.h"
#include "core/compare/rules/finding_check.h"
#include "core/compare/rules/rule_counts.h"

namespace gprofx::compare {
namespace {

std::string ChangeText(double logarithm) {
  const double percent = 100 * std::expm1(logarithm);
  if (!std::isfinite(percent) || percent > 999) return ">+999%";
  return Format("%+.1f%%", percent);
}

std::string EvidenceOf(const Outcome& outcome) {
  return ChangeText(outcome.estimate.effect) + " (" + ChangeText(outcome.interval.low) + " to " +
         ChangeText(outcome.interval.high) + ")";
}

// Returns kRegression if the rule fires, kEquivalent if it holds, and kInconclusive otherwise.
// `is_sure` is true if a test has shown that the change exceeds `limit`. `twice` is twice the
// limit. Both limits are in the unit of the estimate: logarithms or points.
Verdict Judged(const Estimate& estimate, const Interval& interval, bool is_sure, double limit,
               double twice) {
  if (estimate.effect > 0 && is_sure) return Verdict::kRegression;
  const bool holds = estimate.effect <= limit && interval.high <= twice;
  return holds ? Verdict::kEquivalent : Verdict::kInconclusive;
}

constexpr char kNoSpread[] = "a run has fewer than 20 steps, or there is one run of each";
constexpr double kAgain = 0.3;  // maximum p of the fresh runs alone
// Fresh runs are made if a rule fires at this false discovery rate and alpha.
constexpr double kSuspicion = 0.5;

class Checker {
 public:
  Checker(const Settings& settings, Diff& diff, const Diff* again)
      : settings_(settings), diff_(diff), again_(again) {}

  void Check(const Rule& rule) {
    switch (rule.what) {
      case Rule::kTotal:
        return CheckWhole(rule, &Diff::total, "the whole");
      case Rule::kStep:
        if (diff_.unit != Unit::kStep) return Untold(rule, "there are no steps to compare");
        return CheckWhole(rule, &Diff::total, "a step");
      case Rule::kGpu:
        if (diff_.kernels.empty()) return Untold(rule, "no GPU work was recorded");
        return CheckWhole(rule, &Diff::gpu_total, "GPU time");
      case Rule::kSelf:
        return CheckParts(rule, diff_.functions, &Change::outcome, RuleResult::kFunction);
      case Rule::kInclusive:
        return CheckParts(rule, diff_.functions, &Change::inclusive, RuleResult::kFunction);
      case Rule::kKernel:
        return CheckParts(rule, diff_.kernels, &Change::outcome, RuleResult::kKernel);
      case Rule::kLine:
        return CheckParts(rule, diff_.lines, &Change::outcome, RuleResult::kLine);
      case Rule::kOperator:
        return CheckParts(rule, diff_.operators, &Change::outcome, RuleResult::kOperator);
      case Rule::kGpuIdle:
        return CheckIdle(rule);
      case Rule::kVariability:
        return rule.relative ? CheckMoreSpread(rule) : CheckSpread(rule);
      case Rule::kLaunches:
      case Rule::kCalls:
      case Rule::kSum:
        return Put(CheckCount(rule, diff_));
      case Rule::kFinding:
        for (RuleResult& result : CheckFindings(rule, diff_)) Put(std::move(result));
        return;
    }
  }

 private:
  void Put(RuleResult result) { diff_.rules.push_back(std::move(result)); }
  void Untold(const Rule& rule, std::string why) {
    Put(ResultOf(rule, Verdict::kInconclusive, std::move(why)));
  }

  // Returns the logarithm for twice the limit, or the settings' least total effect if that is
  // larger.
  double Twice(double limit) const {
    return std::log1p(std::max(2 * limit, settings_.least_total_effect));
  }

  // True if the fresh runs also show a change beyond the limit.
  static bool IsBeyond(const Estimate& estimate, double limit) {
    return estimate.df > 0 && estimate.effect > 0 && PValueOfMoreThan(estimate, limit) <= kAgain;
  }

  // Makes `result` inconclusive, because fresh runs did not confirm the change.
  static RuleResult Unconfirmed(RuleResult result) {
    result.fired = false;
    result.verdict = Verdict::kInconclusive;
    result.evidence += "; fresh runs did not confirm it";
    return result;
  }

  void CheckWhole(const Rule& rule, Outcome Diff::*which, const char* what) {
    const Outcome& outcome = diff_.*which;
    if (!outcome.tested) return Untold(rule, "one run of each side is not enough to compare times");
    const double limit = std::log1p(rule.limit);
    const double p = PValueOfMoreThan(outcome.estimate, limit);
    const Verdict verdict = Judged(outcome.estimate, outcome.interval, p <= settings_.total_alpha,
                                   limit, Twice(rule.limit));
    RuleResult result = ResultOf(rule, verdict, std::string(what) + " " + EvidenceOf(outcome));
    const bool seen = again_ == nullptr || IsBeyond((again_->*which).estimate, limit);
    Put(result.fired && !seen ? Unconfirmed(std::move(result)) : std::move(result));
  }

  static bool IsAbout(const Rule& rule, const Change& change) {
    if (!rule.pattern || rule.pattern->Matches(change.part.name)) return true;
    return !change.other.empty() && rule.pattern->Matches(change.other);
  }

  static std::string NameOf(const Change& change) {
    return change.part.name + (change.other.empty() ? "" : " (was " + change.other + ")");
  }

  const Change* InFreshRuns(const Change& change, RuleResult::Subject subject) const {
    const std::vector<Change>& list = *ListOf(*again_, subject);
    const auto found = std::find_if(list.begin(), list.end(),
                                    [&](const Change& one) { return one.key == change.key; });
    return found == list.end() ? nullptr : &*found;
  }

  bool IsSeenAgain(const Change& change, Outcome Change::*of, RuleResult::Subject subject,
                   double limit) const {
    if (again_ == nullptr) return true;
    const Change* fresh = InFreshRuns(change, subject);
    return fresh != nullptr && IsBeyond((fresh->*of).estimate, limit);
  }

  // Checks a rule for a new part. A new part always exceeds the limit, but other parts may have
  // become faster by as much. The rule therefore fires only if every run of the head has the part
  // and the whole is slower.
  RuleResult OfNew(const Rule& rule, size_t place, Outcome Change::*of,
                   RuleResult::Subject subject) const {
    const Change& change = (*ListOf(diff_, subject))[place];
    const Outcome& whole = subject == RuleResult::kKernel ? diff_.gpu_total : diff_.clock_total;
    const std::string share = Format("%.1f%%", 100 * (change.*of).share);
    std::string evidence = NameOf(change) + " is new, with " + share + " of the time";
    const bool slower = whole.verdict == Verdict::kRegression;
    if (!change.in_every_head_run) {
      evidence += ", and not in every run";
    } else if (!slower) {
      evidence += ", and the whole is not certainly slower";
    }
    const bool fires = change.in_every_head_run && slower;
    RuleResult result =
        ResultOf(rule, fires ? Verdict::kRegression : Verdict::kInconclusive, std::move(evidence));
    if (!fires || again_ == nullptr) return result;
    const Change* fresh = InFreshRuns(change, subject);
    const bool seen = fresh != nullptr && fresh->fate == Change::kNew && fresh->in_every_head_run;
    return seen ? result : Unconfirmed(std::move(result));
  }

  RuleResult OfTested(const Rule& rule, const Change& change, Outcome Change::*of, double rate,
                      RuleResult::Subject subject) const {
    const double limit = std::log1p(rule.limit);
    const Outcome& outcome = change.*of;
    const bool moved = change.moved && of == &Change::outcome;
    Verdict verdict = Judged(outcome.estimate, outcome.interval,
                             rate <= settings_.false_discoveries, limit, Twice(rule.limit));
    if (moved) verdict = Verdict::kEquivalent;
    RuleResult result =
        ResultOf(rule, verdict,
                 NameOf(change) + " " + EvidenceOf(outcome) + (moved ? ", which only moved" : ""));
    if (!result.fired || IsSeenAgain(change, of, subject, limit)) return result;
    return Unconfirmed(std::move(result));
  }

  void CheckParts(const Rule& rule, const std::vector<Change>& changes, Outcome Change::*of,
                  RuleResult::Subject subject) {
    const double least = std::max(rule.least_share.value_or(0), settings_.least_share);
    std::vector<size_t> tested, made;
    size_t known = 0, untested = 0;
    for (size_t i = 0; i < changes.size(); ++i) {
      const Change& change = changes[i];
      if (!IsAbout(rule, change)) continue;
      ++known;
      if ((change.*of).share < least) continue;
      if ((change.*of).tested) {
        tested.push_back(i);
      } else if (change.fate == Change::kNew) {
        made.push_back(i);
      } else if (change.fate != Change::kGone) {
        ++untested;
      }
    }
    if (known == 0) return Untold(rule, "nothing of this name was recorded");
    if (!diff_.clock_total.tested)
      return Untold(rule, "one run of each side is not enough to compare times");
    if (tested.empty() && made.empty()) {
      if (untested > 0) return Untold(rule, "not every run has it");
      return Put(
          ResultOf(rule, Verdict::kEquivalent, "its share of the whole is too small for a test"));
    }
    const double limit = std::log1p(rule.limit);
    std::vector<double> p;
    for (const size_t i : tested) {
      p.push_back(PValueOfMoreThan((changes[i].*of).estimate, limit));
    }
    const std::vector<double> rates = FalseDiscoveryRates(p);
    RuleResult unfired = ResultOf(rule, Verdict::kEquivalent, "");
    bool fired = false;
    double highest = -1e300;
    // Keeps a single one of the results that did not fire. An inconclusive result takes precedence
    // over one that holds; among equals, the one with the highest upper bound does.
    const auto add = [&](RuleResult result, size_t place, double high) {
      result.subject = subject;
      result.change = place;
      if (result.fired) {
        fired = true;
        return Put(std::move(result));
      }
      const bool worse = result.verdict != unfired.verdict
                             ? result.verdict == Verdict::kInconclusive
                             : high > highest;
      if (!worse) return;
      highest = high;
      unfired = std::move(result);
    };
    for (size_t k = 0; k < tested.size(); ++k) {
      const Change& change = changes[tested[k]];
      add(OfTested(rule, change, of, rates[k], subject), tested[k], (change.*of).interval.high);
    }
    for (const size_t place : made) {
      add(OfNew(rule, place, of, subject), place, (changes[place].*of).share);
    }
    if (!fired) Put(std::move(unfired));
  }

  void CheckIdle(const Rule& rule) {
    const SharePoints& idle = diff_.gpu_idle;
    if (idle.estimate.df <= 0) {
      return Untold(rule,
                    "the idle time of a GPU is unknown, or known for only one run of each side");
    }
    const double p = PValueOfMoreThan(idle.estimate, rule.limit);
    const double twice = std::max(2 * rule.limit, settings_.least_total_effect);
    const Verdict verdict =
        Judged(idle.estimate, idle.interval, p <= settings_.total_alpha, rule.limit, twice);
    const std::string text = Format("GPU idle %.1f%% -> %.1f%%, %+.1f points (%+.1f to %+.1f)",
                                    100 * idle.base, 100 * idle.head, 100 * idle.estimate.effect,
                                    100 * idle.interval.low, 100 * idle.interval.high);
    RuleResult result = ResultOf(rule, verdict, text);
    const bool seen = again_ == nullptr || IsBeyond(again_->gpu_idle.estimate, rule.limit);
    Put(result.fired && !seen ? Unconfirmed(std::move(result)) : std::move(result));
  }

  // Checks a rule that limits the growth of step_spread from base to head, in percent.
  void CheckMoreSpread(const Rule& rule) {
    const SharePoints& spread = diff_.step_spread;
    if (spread.estimate.df <= 0) return Untold(rule, kNoSpread);
    const double limit = std::log1p(rule.limit);
    const double p = PValueOfMoreThan(spread.estimate, limit);
    const Verdict verdict = Judged(spread.estimate, spread.interval, p <= settings_.total_alpha,
                                   limit, Twice(rule.limit));
    const std::string text =
        Format("p95/median of the steps %.2f -> %.2f, %s (%s to %s)", std::exp(spread.base),
               std::exp(spread.head), ChangeText(spread.estimate.effect).c_str(),
               ChangeText(spread.interval.low).c_str(), ChangeText(spread.interval.high).c_str());
    RuleResult result = ResultOf(rule, verdict, text);
    const bool seen = again_ == nullptr || IsBeyond(again_->step_spread.estimate, limit);
    Put(result.fired && !seen ? Unconfirmed(std::move(result)) : std::move(result));
  }

  // Checks a rule that limits the step spread of the head's runs. It fires if all runs exceed the
  // limit and holds if none does.
  void CheckSpread(const Rule& rule) {
    std::vector<double> spreads = diff_.head_spreads;
    if (again_ != nullptr) {
      spreads.insert(spreads.end(), again_->head_spreads.begin(), again_->head_spreads.end());
    }
    if (spreads.empty()) return Untold(rule, kNoSpread);
    const auto [least, most] = std::minmax_element(spreads.begin(), spreads.end());
    const Verdict verdict = *least > rule.limit  ? Verdict::kRegression
                            : *most > rule.limit ? Verdict::kInconclusive
                                                 : Verdict::kEquivalent;
    const std::string text = Format("p95/median of the steps %.2f to %.2f", *least, *most);
    Put(ResultOf(rule, verdict, text));
  }

  const Settings& settings_;
  Diff& diff_;
  const Diff* const again_;
};

void Suppress(const RuleSet& rules, Diff& diff) {
  for (const Suppression& one : rules.suppressions) {
    for (RuleResult& result : diff.rules) {
      const std::vector<Change>* list = ListOf(diff, result.subject);
      const bool named =
          (list != nullptr && result.fired && (*list)[result.change].part.name == one.what) ||
          (!result.count.empty() && result.count == one.what);
      if (result.verdict == Verdict::kEquivalent) continue;
      if (named || result.rule == one.what) result.suppressed_by = one.Text();
    }
  }
}

}  // namespace

void CheckRules(const RuleSet& rules, const Settings& settings, Diff& diff, const Diff* again) {
  for (const Suppression& one : rules.suppressions) {
    for (auto* list : {&diff.functions, &diff.kernels, &diff.lines, &diff.operators}) {
      for (Change& change : *list) {
        if (change.part.name == one.what) change.suppressed_by = one.Text();
      }
    }
  }
  Judge(diff);
  Checker checker(settings, diff, again);
  for (const Rule& rule : rules.rules) checker.Check(rule);
  Suppress(rules, diff);
}

bool RulesNeedConfirmation(const RuleSet& rules, const Settings& settings, Diff first) {
  if (!first.obstacles.empty()) return false;
  Settings suspicious = settings;
  suspicious.false_discoveries = suspicious.total_alpha = kSuspicion;
  first.rules.clear();
  CheckRules(rules, suspicious, first);
  return std::any_of(first.rules.begin(), first.rules.end(), [](const RuleResult& result) {
    return result.fired && result.suppressed_by.empty() && result.count.empty();
  });
}

Verdict RuledVerdict(const Diff& diff) {
  if (diff.rules.empty()) return diff.verdict;
  if (!diff.obstacles.empty()) return Verdict::kInconclusive;
  const auto any = [&](Verdict verdict) {
    return std::any_of(diff.rules.begin(), diff.rules.end(), [&](const RuleResult& result) {
      return result.verdict == verdict && result.suppressed_by.empty();
    });
  };
  for (const Verdict verdict : {Verdict::kRegression, Verdict::kInconclusive}) {
    if (any(verdict)) return verdict;
  }
  return Verdict::kEquivalent;
}

}  // namespace gprofx::compare
