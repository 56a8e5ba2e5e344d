#include "core/compare/count_changes.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

namespace gprofx::compare {
namespace {

using Numbers = std::map<std::string, int64_t> WorkDone::*;

std::vector<const WorkDone*> WorkOfRuns(std::span<const Run> runs, bool per_step) {
  std::vector<const WorkDone*> all;
  for (const Run& run : runs) all.push_back(per_step ? &run.steps->work : &run);
  return all;
}

int64_t NumberOf(const WorkDone& work, Numbers numbers, const std::string& name) {
  const auto found = (work.*numbers).find(name);
  return found == (work.*numbers).end() ? 0 : found->second;
}

// True for counts that do not come from records of GPU work. They are exact and compared even if a
// run lacks some records.
bool IsOfTheSystem(std::string_view name) {
  return name == "processes" || name == "threads" || name == "calls that start GPU work";
}

std::vector<CountRange> RangesOf(std::span<const Run> base, std::span<const Run> head,
                                 Numbers numbers, bool per_step) {
  const std::vector<const WorkDone*> in_base = WorkOfRuns(base, per_step);
  const std::vector<const WorkDone*> in_head = WorkOfRuns(head, per_step);
  bool exact = true;
  for (const auto side : {base, head}) {
    for (const Run& run : side) exact = exact && run.counts_are_exact;
  }
  std::set<std::string> names, varying;
  for (const auto* side : {&in_base, &in_head}) {
    for (const WorkDone* work : *side) {
      for (const auto& [name, number] : work->*numbers) names.insert(name);
      for (const std::string& name : work->varying) varying.insert(name);
    }
  }
  // WorkDone::varying contains names from both `counts` and `sums`. Only names from `counts` have
  // the form "owner: thing".
  const bool of_counts = numbers == &WorkDone::counts;
  for (const std::string& name : varying) {
    if (of_counts == (name.find(": ") != std::string::npos)) names.insert(name);
  }
  std::vector<CountRange> ranges;
  for (const std::string& name : names) {
    if (!exact && !IsOfTheSystem(name)) continue;
    CountRange range;
    range.name = name;
    range.per_step = per_step;
    range.varies = varying.contains(name);
    const auto measure = [&](const std::vector<const WorkDone*>& side, int64_t& least,
                             int64_t& most) {
      least = most = NumberOf(*side.front(), numbers, name);
      for (const WorkDone* work : side) {
        least = std::min(least, NumberOf(*work, numbers, name));
        most = std::max(most, NumberOf(*work, numbers, name));
      }
    };
    measure(in_base, range.base_least, range.base_most);
    measure(in_head, range.head_least, range.head_most);
    ranges.push_back(std::move(range));
  }
  return ranges;
}

void AddChange(const CountRange& range, Diff& diff) {
  if (range.varies || range.base_least != range.base_most || range.head_least != range.head_most) {
    ++diff.counts_varying;
  } else if (range.base_least == range.head_least) {
    ++diff.counts_equal;
  } else {
    diff.counts.push_back({range.name, range.base_least, range.head_least, range.per_step});
  }
}

}  // namespace

void CompareCounts(std::span<const Run> base, std::span<const Run> head, Diff& diff) {
  const bool steps = diff.unit == Unit::kStep;
  diff.count_ranges = RangesOf(base, head, &WorkDone::counts, false);
  diff.sum_ranges = RangesOf(base, head, &WorkDone::sums, false);
  for (const CountRange& range : diff.count_ranges) {
    if (!steps || IsOfTheSystem(range.name)) AddChange(range, diff);
  }
  if (steps) {
    for (CountRange& range : RangesOf(base, head, &WorkDone::counts, true)) {
      AddChange(range, diff);
      diff.count_ranges.push_back(std::move(range));
    }
    for (CountRange& range : RangesOf(base, head, &WorkDone::sums, true)) {
      diff.sum_ranges.push_back(std::move(range));
    }
  }
  const auto size = [](const CountChange& change) {
    return std::fabs(static_cast<double>(change.head) - static_cast<double>(change.base)) /
           static_cast<double>(std::max<int64_t>({change.base, change.head, 1}));
  };
  std::stable_sort(diff.counts.begin(), diff.counts.end(),
                   [&](const CountChange& a, const CountChange& b) { return size(a) > size(b); });
}

}  // namespace gprofx::compare
