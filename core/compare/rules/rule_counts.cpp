#include "core/compare/rules/rule_counts.h"

#include <algorithm>
#include <string_view>

#include "core/base/arithmetic.h"

namespace gprofx::compare {
namespace {

bool AreCounted(const Diff& diff) {
  return std::none_of(diff.differences.begin(), diff.differences.end(),
                      [](const Obstacle& one) { return one.kind == Obstacle::kNotCounted; });
}

// True for counts that every program has, even without a GPU.
bool IsOfTheSystem(std::string_view name) { return name == "processes" || name == "threads"; }

bool HasGpuCounts(const Diff& diff) {
  const auto any = [](const std::vector<CountRange>& ranges) {
    return std::any_of(ranges.begin(), ranges.end(),
                       [](const CountRange& range) { return !IsOfTheSystem(range.name); });
  };
  return !diff.kernels.empty() || any(diff.count_ranges) || any(diff.sum_ranges);
}

bool IsASum(const Rule& rule) {
  return rule.what == Rule::kSum || (rule.what == Rule::kLaunches && !rule.pattern);
}

// True if the rule applies to this count. For example, "launches: gemm [8x1x1, 128x1x1]" is a count
// of gemm.
bool IsAbout(const Rule& rule, const CountRange& range) {
  if (IsASum(rule)) return range.name == rule.sum;
  const std::string_view start = rule.what == Rule::kCalls ? "calls: " : "launches: ";
  std::string_view name = range.name;
  if (!name.starts_with(start)) return false;
  name.remove_prefix(start.size());
  if (rule.what == Rule::kLaunches) name = name.substr(0, name.rfind(" ["));
  return !rule.pattern || rule.pattern->Matches(name);
}

std::string RangeText(int64_t least, int64_t most) {
  return std::to_string(least) + (most == least ? "" : " to " + std::to_string(most));
}

// Returns the sum of the ranges of all counts to which the rule applies. Adds the number of these
// counts to `found`.
CountRange SumOf(const Rule& rule, const Diff& diff, size_t& found) {
  CountRange all;
  for (const CountRange& range : IsASum(rule) ? diff.sum_ranges : diff.count_ranges) {
    if (range.per_step != rule.per_step || !IsAbout(rule, range)) continue;
    ++found;
    all.base_least = AddSaturated(all.base_least, range.base_least);
    all.base_most = AddSaturated(all.base_most, range.base_most);
    all.head_least = AddSaturated(all.head_least, range.head_least);
    all.head_most = AddSaturated(all.head_most, range.head_most);
    all.varies = all.varies || range.varies;
  }
  return all;
}

}  // namespace

RuleResult ResultOf(const Rule& rule, Verdict verdict, std::string evidence) {
  RuleResult result;
  result.rule = rule.text;
  result.verdict = verdict;
  result.fired = verdict == Verdict::kRegression;
  result.evidence = std::move(evidence);
  return result;
}

RuleResult CheckCount(const Rule& rule, const Diff& diff) {
  const auto untold = [&](std::string why) {
    return ResultOf(rule, Verdict::kInconclusive, std::move(why));
  };
  if (rule.per_step && diff.unit != Unit::kStep) return untold("there are no steps to compare");
  const bool of_the_system = IsOfTheSystem(rule.sum);
  if (rule.per_step && of_the_system) return untold(rule.sum + " are counted per run");
  if (!of_the_system && !AreCounted(diff)) return untold("GPU work was not counted exactly");
  if (!of_the_system && !HasGpuCounts(diff)) {
    return untold("neither side has a recording of the GPU");
  }
  size_t found = 0;
  const CountRange all = SumOf(rule, diff, found);
  if (found == 0 && rule.pattern) return untold("nothing of this name was recorded");
  const std::string what = (rule.sum.empty() ? "calls" : rule.sum) +
                           std::string(rule.per_step ? " per step" : " per run");
  if (all.varies) return untold(what + ": they vary from step to step");
  const auto beyond = [&](int64_t base, int64_t head) {
    const auto from = static_cast<double>(base), to = static_cast<double>(head);
    return rule.relative ? to > from * (1 + rule.limit) : to - from > rule.limit;
  };
  Verdict verdict = Verdict::kInconclusive;
  if (beyond(all.base_most, all.head_least)) verdict = Verdict::kRegression;
  if (!beyond(all.base_least, all.head_most)) verdict = Verdict::kEquivalent;
  RuleResult result = ResultOf(rule, verdict,
                               what + ": " + RangeText(all.base_least, all.base_most) + " -> " +
                                   RangeText(all.head_least, all.head_most));
  result.subject = RuleResult::kCount;
  result.count = rule.sum.empty() ? "calls" : rule.sum;
  return result;
}

}  // namespace gprofx::compare
