#include "core/compare/rule_check.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include "core/arithmetic.h"

namespace gprofx::compare {
namespace {

std::string Percent(double logarithm) {
  const double percent = 100 * std::expm1(logarithm);
  if (!std::isfinite(percent) || percent > 999) return ">+999%";
  char text[40];
  snprintf(text, sizeof text, "%+.1f%%", percent);
  return text;
}

std::string EvidenceOf(const Outcome& outcome) {
  return Percent(outcome.estimate.effect) + " (" + Percent(outcome.interval.low) + " to " +
         Percent(outcome.interval.high) + ")";
}

RuleResult ResultOf(const Rule& rule, Verdict verdict, std::string evidence) {
  RuleResult result;
  result.rule = rule.text;
  result.verdict = verdict;
  result.fired = verdict == Verdict::kRegression;
  result.evidence = std::move(evidence);
  return result;
}

// `limit` and the estimate are of one kind: logarithms, or points.
Verdict Judged(const Estimate& estimate, const Interval& interval, bool is_sure, double limit,
               double twice) {
  if (estimate.effect > 0 && is_sure) return Verdict::kRegression;
  const bool holds = estimate.effect <= limit && interval.high <= twice;
  return holds ? Verdict::kEquivalent : Verdict::kInconclusive;
}

class Checker {
 public:
  Checker(const Settings& settings, Diff& diff) : settings_(settings), diff_(diff) {}

  void Check(const Rule& rule) {
    switch (rule.what) {
      case Rule::kTotal:
        return CheckWhole(rule, diff_.total, "the whole");
      case Rule::kStep:
        if (diff_.unit != Unit::kStep) return Untold(rule, "there are no steps to compare");
        return CheckWhole(rule, diff_.total, "a step");
      case Rule::kGpu:
        if (diff_.kernels.empty()) return Untold(rule, "no GPU work was recorded");
        return CheckWhole(rule, diff_.gpu_total, "GPU time");
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
      case Rule::kLaunches:
      case Rule::kCalls:
      case Rule::kSum:
        return CheckCount(rule);
    }
  }

 private:
  void Put(RuleResult result) { diff_.rules.push_back(std::move(result)); }
  void Untold(const Rule& rule, std::string why) {
    Put(ResultOf(rule, Verdict::kInconclusive, std::move(why)));
  }

  // Of logarithms: below this nothing is asked for.
  double Twice(double limit) const {
    return std::log1p(std::max(2 * limit, settings_.least_total_effect));
  }

  void CheckWhole(const Rule& rule, const Outcome& outcome, const char* what) {
    if (!outcome.tested) return Untold(rule, "one run of each shows no times");
    const double limit = std::log1p(rule.limit);
    const double p = PValueOfMoreThan(outcome.estimate, limit);
    const Verdict verdict = Judged(outcome.estimate, outcome.interval, p <= settings_.total_alpha,
                                   limit, Twice(rule.limit));
    Put(ResultOf(rule, verdict, std::string(what) + " " + EvidenceOf(outcome)));
  }

  static bool IsAbout(const Rule& rule, const Change& change) {
    return !rule.pattern || rule.pattern->Matches(change.part.name);
  }

  void CheckParts(const Rule& rule, const std::vector<Change>& changes, Outcome Change::*of,
                  RuleResult::Subject subject) {
    const double least = std::max(rule.least_share.value_or(0), settings_.least_share);
    std::vector<size_t> tested;
    size_t known = 0, untested = 0;
    for (size_t i = 0; i < changes.size(); ++i) {
      if (!IsAbout(rule, changes[i])) continue;
      ++known;
      const Outcome& outcome = changes[i].*of;
      if (outcome.share < least) continue;
      if (outcome.tested) {
        tested.push_back(i);
      } else if (changes[i].fate == Change::kThere) {
        ++untested;
      }
    }
    if (known == 0) return Untold(rule, "nothing of this name was recorded");
    if (tested.empty() && (untested > 0 || !diff_.clock_total.tested)) {
      return Untold(rule, diff_.clock_total.tested ? "it is not there in every run"
                                                   : "one run of each shows no times");
    }
    if (tested.empty()) {
      return Put(ResultOf(rule, Verdict::kEquivalent, "too little of the whole to be tested"));
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
    for (size_t k = 0; k < tested.size(); ++k) {
      const Change& change = changes[tested[k]];
      const Outcome& outcome = change.*of;
      const bool moved = change.moved && of == &Change::outcome;
      Verdict verdict = Judged(outcome.estimate, outcome.interval,
                               rates[k] <= settings_.false_discoveries, limit, Twice(rule.limit));
      if (moved && verdict != Verdict::kEquivalent) verdict = Verdict::kEquivalent;
      RuleResult result =
          ResultOf(rule, verdict, change.part.name + " " + EvidenceOf(outcome) +
                                      (moved ? ", which only moved" : ""));
      result.subject = subject;
      result.change = tested[k];
      if (result.fired) {
        fired = true;
        Put(std::move(result));
        continue;
      }
      // What cannot be told says more than what holds, and of several the one that may be most.
      const bool worse = verdict != unfired.verdict ? verdict == Verdict::kInconclusive
                                                    : outcome.interval.high > highest;
      if (!worse) continue;
      highest = outcome.interval.high;
      unfired = std::move(result);
    }
    if (!fired) Put(std::move(unfired));
  }

  void CheckIdle(const Rule& rule) {
    const SharePoints& idle = diff_.gpu_idle;
    if (idle.estimate.df <= 0) {
      return Untold(rule, "the idle time of a GPU is not known, or of one run of each only");
    }
    const double p = PValueOfMoreThan(idle.estimate, rule.limit);
    const double twice = std::max(2 * rule.limit, settings_.least_total_effect);
    const Verdict verdict = Judged(idle.estimate, idle.interval, p <= settings_.total_alpha,
                                   rule.limit, twice);
    char text[160];
    snprintf(text, sizeof text, "GPU idle %.1f%% -> %.1f%%, %+.1f points (%+.1f to %+.1f)",
             100 * idle.base, 100 * idle.head, 100 * idle.estimate.effect,
             100 * idle.interval.low, 100 * idle.interval.high);
    Put(ResultOf(rule, verdict, text));
  }

  bool AreCounted() const {
    return std::none_of(diff_.differences.begin(), diff_.differences.end(),
                        [](const Obstacle& one) { return one.kind == Obstacle::kNotCounted; });
  }

  // "launches: gemm [8x1x1, 128x1x1]" is about gemm.
  static bool IsAbout(const Rule& rule, const CountRange& range) {
    if (rule.what == Rule::kSum || (rule.what == Rule::kLaunches && !rule.pattern)) {
      return range.name == rule.sum;
    }
    const std::string_view start = rule.what == Rule::kCalls ? "calls: " : "launches: ";
    std::string_view name = range.name;
    if (!name.starts_with(start)) return false;
    name.remove_prefix(start.size());
    if (rule.what == Rule::kLaunches) name = name.substr(0, name.rfind(" ["));
    return !rule.pattern || rule.pattern->Matches(name);
  }

  void CheckCount(const Rule& rule) {
    if (rule.per_step && diff_.unit != Unit::kStep) {
      return Untold(rule, "there are no steps to compare");
    }
    const bool whole_sum = rule.sum == "processes" || rule.sum == "threads";
    if (rule.per_step && whole_sum) return Untold(rule, rule.sum + " are counted per run");
    if (!whole_sum && !AreCounted()) return Untold(rule, "GPU work was not counted exactly");
    const bool sums = rule.what == Rule::kSum || (rule.what == Rule::kLaunches && !rule.pattern);
    CountRange all;
    for (const CountRange& range : sums ? diff_.sum_ranges : diff_.count_ranges) {
      if (range.per_step != rule.per_step || !IsAbout(rule, range)) continue;
      all.base_least = AddSaturated(all.base_least, range.base_least);
      all.base_most = AddSaturated(all.base_most, range.base_most);
      all.head_least = AddSaturated(all.head_least, range.head_least);
      all.head_most = AddSaturated(all.head_most, range.head_most);
      all.varies = all.varies || range.varies;
    }
    const auto range_text = [](int64_t least, int64_t most) {
      return std::to_string(least) + (most == least ? "" : " to " + std::to_string(most));
    };
    const std::string what = (rule.sum.empty() ? "calls" : rule.sum) +
                             std::string(rule.per_step ? " per step" : " per run");
    if (all.varies) return Untold(rule, what + ": they vary from step to step");
    const auto beyond = [&](int64_t base, int64_t head) {
      const auto from = static_cast<double>(base), to = static_cast<double>(head);
      return rule.relative ? to > from * (1 + rule.limit) : to - from > rule.limit;
    };
    Verdict verdict = Verdict::kInconclusive;
    if (beyond(all.base_most, all.head_least)) verdict = Verdict::kRegression;
    if (!beyond(all.base_least, all.head_most)) verdict = Verdict::kEquivalent;
    RuleResult result =
        ResultOf(rule, verdict, what + ": " + range_text(all.base_least, all.base_most) + " -> " +
                                    range_text(all.head_least, all.head_most));
    result.subject = RuleResult::kCount;
    result.count = rule.sum.empty() ? "calls" : rule.sum;
    Put(std::move(result));
  }

  const Settings& settings_;
  Diff& diff_;
};

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
      break;
  }
  return nullptr;
}

void Suppress(const RuleSet& rules, Diff& diff) {
  for (const Suppression& one : rules.suppressions) {
    for (RuleResult& result : diff.rules) {
      const std::vector<Change>* list = ListOf(diff, result.subject);
      const bool named = (list != nullptr && result.fired &&
                          (*list)[result.change].part.name == one.what) ||
                         (result.subject == RuleResult::kCount && result.count == one.what);
      if (result.verdict == Verdict::kEquivalent) continue;
      if (named || result.rule == one.what) result.suppressed_by = one.Text();
    }
  }
}

}  // namespace

void CheckRules(const RuleSet& rules, const Settings& settings, Diff& diff) {
  for (const Suppression& one : rules.suppressions) {
    for (auto* list : {&diff.functions, &diff.kernels, &diff.lines, &diff.operators}) {
      for (Change& change : *list) {
        if (change.part.name == one.what) change.suppressed_by = one.Text();
      }
    }
  }
  Judge(diff);
  Checker checker(settings, diff);
  for (const Rule& rule : rules.rules) checker.Check(rule);
  Suppress(rules, diff);
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
