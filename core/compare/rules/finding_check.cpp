#include "core/compare/rules/finding_check.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "core/base/format.h"
#include "core/base/path.h"
#include "core/compare/rules/rule_counts.h"

namespace gprofx::compare {
namespace {

std::string PlaceOf(const RunFinding& finding) {
  if (!finding.function.empty()) return finding.function;
  return finding.file.empty() ? "the whole run" : std::string(BaseName(finding.file));
}

// Name of the finding, and index among the findings with this name.
using Key = std::pair<std::string, size_t>;

// Returns the findings of a run by key. Those with the same name are numbered by saving, largest
// first.
std::map<Key, const RunFinding*> FindingsOf(const Run& run) {
  std::vector<const RunFinding*> list;
  for (const RunFinding& finding : *run.findings) list.push_back(&finding);
  std::stable_sort(list.begin(), list.end(), [](const RunFinding* a, const RunFinding* b) {
    return a->saving_ns > b->saving_ns;
  });
  std::map<std::string, size_t> like;
  std::map<Key, const RunFinding*> found;
  for (const RunFinding* finding : list) {
    const std::string key =
        finding->rule + "\n" + finding->function + "\n" + std::string(BaseName(finding->file));
    found[{key, like[key]++}] = finding;
  }
  return found;
}

// Returns why the findings of a run are unknown; "" if those of all runs are known.
std::string WhyNot(std::span<const Run> base, std::span<const Run> head) {
  for (const std::span<const Run> side : {base, head}) {
    for (const Run& run : side) {
      if (!run.findings) return run.no_findings;
    }
  }
  return "";
}

bool IsAbout(const Rule& rule, const FindingRange& range) {
  if (!rule.pattern) return true;
  return rule.pattern->Matches(range.name) || rule.pattern->Matches(range.example.file);
}

bool IsBeyond(const Rule& rule, const RunFinding& finding) {
  const double saving = rule.relative ? finding.share : static_cast<double>(finding.saving_ns);
  return saving > rule.limit;
}

std::string EvidenceOf(const FindingRange& range) {
  const RunFinding& one = range.example;
  const std::string text = Format(" would save at most %.1f%% of a step, %.3f ms", 100 * one.share,
                                  static_cast<double>(one.saving_ns) / 1e6);
  std::string where;
  if (one.line != 0) where = ":" + std::to_string(one.line);
  if (!one.file.empty()) where = " (" + one.file + where + ")";
  const std::string which = range.place == 0 ? "" : ", number " + std::to_string(range.place + 1);
  return range.name + where + which + text;
}

}  // namespace

void CompareFindings(std::span<const Run> base, std::span<const Run> head, Diff& diff) {
  diff.no_findings = WhyNot(base, head);
  if (!diff.no_findings.empty()) return;
  std::map<Key, FindingRange> ranges;
  for (const Run& run : head) {
    for (const auto& [key, finding] : FindingsOf(run)) {
      FindingRange& range = ranges[key];
      range.place = key.second;
      range.head.push_back(*finding);
    }
  }
  for (const Run& run : base) {
    for (const auto& [key, finding] : FindingsOf(run)) {
      const auto found = ranges.find(key);
      if (found != ranges.end()) ++found->second.base_runs;
    }
  }
  for (auto& [key, range] : ranges) {
    range.example = *std::min_element(
        range.head.begin(), range.head.end(),
        [](const RunFinding& a, const RunFinding& b) { return a.saving_ns < b.saving_ns; });
    range.name = range.example.rule + " in " + PlaceOf(range.example);
    diff.findings.push_back(std::move(range));
  }
  std::stable_sort(diff.findings.begin(), diff.findings.end(),
                   [](const FindingRange& a, const FindingRange& b) {
                     return a.example.saving_ns > b.example.saving_ns;
                   });
}

std::vector<RuleResult> CheckFindings(const Rule& rule, const Diff& diff) {
  if (!diff.no_findings.empty()) {
    return {ResultOf(rule, Verdict::kInconclusive, diff.no_findings)};
  }
  std::vector<RuleResult> fired, unsure;
  for (size_t i = 0; i < diff.findings.size(); ++i) {
    const FindingRange& range = diff.findings[i];
    if (range.base_runs > 0 || !IsAbout(rule, range)) continue;
    const auto beyond = static_cast<size_t>(
        std::count_if(range.head.begin(), range.head.end(),
                      [&](const RunFinding& one) { return IsBeyond(rule, one); }));
    if (beyond == 0) continue;
    const bool everywhere = beyond == diff.head_runs;
    std::string evidence = EvidenceOf(range);
    if (!everywhere) {
      evidence += "; " + std::to_string(beyond) + " of " + std::to_string(diff.head_runs) +
                  " runs exceed the limit";
    }
    RuleResult result = ResultOf(rule, everywhere ? Verdict::kRegression : Verdict::kInconclusive,
                                 std::move(evidence));
    result.subject = RuleResult::kFinding;
    result.change = i;
    result.count = range.name;
    (everywhere ? fired : unsure).push_back(std::move(result));
  }
  if (!fired.empty()) return fired;
  if (!unsure.empty()) return {std::move(unsure.front())};
  return {ResultOf(rule, Verdict::kEquivalent, "no new finding exceeds the limit")};
}

}  // namespace gprofx::compare
