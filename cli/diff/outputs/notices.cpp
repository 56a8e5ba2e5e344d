#include "cli/diff/outputs/notices.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "cli/diff/words.h"
#include "cli/report/number.h"
#include "cli/terminal/shorten.h"
#include "cli/terminal/text.h"
#include "core/base/format.h"
#include "core/compare/key.h"
#include "core/compare/rules/rule_check.h"
#include "core/model/content_hash.h"

namespace gprofx {
namespace {

using compare::Change;
using compare::Diff;
using compare::Outcome;
using compare::Verdict;

constexpr char kGpuTime[] = "GPU time";
// Maximum bytes of a name that is shortened; longer ones are cut first.
constexpr size_t kLongestName = 8'000;

Notice NoticeOfTotal(const char* what, const Outcome& outcome, const Diff& diff) {
  Notice notice{"regression-total", NoticeLevel::kError, what};
  notice.title = std::string(what) + " is more";
  notice.text = std::string(what) + " of the whole: " + OutcomeText(outcome, diff);
  return notice;
}

std::string IdentityOf(const Change& change) {
  return change.key.empty() ? KeyOfChange(change) : change.key;
}

void SetPlace(Notice& notice, const compare::Part& part) {
  notice.name = part.name;
  notice.file = part.file;
  notice.line = part.line;
  notice.seen_file = part.seen_file;
  notice.seen_line = part.seen_line;
}

// Sets the location of a notice. If the function is slower and one of its lines is, too, the
// location is that line. Otherwise it is the function's definition.
void SetPlace(Notice& notice, const Change& change, const Diff& diff) {
  SetPlace(notice, change.part);
  for (const Change& line : diff.lines) {
    if (line.part.of.empty() || line.part.of != change.key || !IsRegression(line)) continue;
    notice.file = line.part.file;
    notice.line = line.part.line;
    return;
  }
}

Notice OfChange(const char* rule, const Change& change, const char* whole, const Diff& diff) {
  const compare::Part& part = change.part;
  Notice notice{rule, NoticeLevel::kError, IdentityOf(change)};
  notice.suppressed_by = FitEnd(Printable(change.suppressed_by), 400);
  const std::string name = ShortPart(part.name);
  notice.title = name + " is slower";
  notice.text = name + ": " + OutcomeText(change.outcome, diff) + ", " +
                Percent(change.outcome.share, 1) + " of " + whole;
  SetPlace(notice, change, diff);
  return notice;
}

Notice OfCount(const compare::CountChange& change) {
  Notice notice{"count-changed", NoticeLevel::kWarning, change.name};
  const int64_t more = change.head - change.base;
  const std::string name = ShortCountName(change.name);
  notice.title = name + (more > 0 ? ": more" : ": fewer");
  notice.text = name + ": " + Grouped(change.base) + " -> " + Grouped(change.head) + " (" +
                (more > 0 ? "+" : "") + Grouped(more) + ") in each " +
                (change.per_step ? "step" : "run");
  return notice;
}

// Returns the identity that a notice about the same subject has without rules.
std::string SubjectOf(const Diff& diff, const compare::RuleResult& result, const Notice& notice) {
  if (result.subject != compare::RuleResult::kWhole) return notice.identity;
  return result.rule.starts_with("gpu") ? kGpuTime : TotalText(diff);
}

Notice OfRule(const Diff& diff, const compare::RuleResult& result) {
  const std::string rule = FitEnd(Printable(result.rule), 200);
  Notice notice{RuleId(result.rule), NoticeLevel::kError, result.count};
  if (const auto* list = ListOf(diff, result.subject);
      list != nullptr && result.change < list->size()) {
    const Change& change = (*list)[result.change];
    notice.identity = IdentityOf(change);
    SetPlace(notice, change, diff);
  }
  if (result.subject == compare::RuleResult::kFinding && result.change < diff.findings.size()) {
    const compare::RunFinding& finding = diff.findings[result.change].example;
    notice.identity =
        "finding " + result.count + "\n" + std::to_string(diff.findings[result.change].place);
    notice.name = finding.function;
    notice.file = finding.file;
    notice.line = finding.line;
  }
  if (!result.fired) {  // it is undecided whether the rule fires
    notice.rule = "inconclusive";
    notice.identity = "rule " + result.rule + "\n" + notice.identity;
    notice.level = NoticeLevel::kWarning;
  }
  notice.title = rule + (result.fired ? "" : " is unclear");
  notice.text = rule + ": " + FitEnd(Printable(result.evidence.substr(0, kLongestName)), 1'000);
  notice.suppressed_by = FitEnd(Printable(result.suppressed_by), 400);
  return notice;
}

std::string WhyInconclusive(const Diff& diff, const compare::Settings& settings) {
  if (diff.obstacles.empty()) return PowerText(diff, settings);
  std::string text;
  for (const compare::Obstacle& obstacle : diff.obstacles) {
    text += (text.empty() ? "" : "; ") + FitEnd(Printable(ObstacleText(obstacle)), 400);
  }
  return "these recordings cannot be compared: " + text;
}

}  // namespace

std::string ShortPart(const std::string& name, int columns) {
  return ShortenName(Printable(name.substr(0, kLongestName)), columns);
}

bool IsRegression(const Change& change) {
  return change.outcome.verdict == Verdict::kRegression && !change.moved;
}

const char* TotalText(const Diff& diff) {
  if (diff.unit == compare::Unit::kCall) return "time of a call";
  return diff.unit == compare::Unit::kStep ? "time of a step" : ClockText(diff);
}

const char* ClockText(const Diff& diff) { return diff.metric == "wall" ? "wall time" : "CPU time"; }

std::string ShortCountName(const std::string& name) {
  return ShortenKernel(Printable(name.substr(0, kLongestName)), 160);
}

std::string KeyOfChange(const Change& change) {
  const compare::Part& part = change.part;
  return compare::KeyOf(part.kind, part.name, part.file, part.module);
}

std::string RuleId(const std::string& rule) {
  return "rule-" + FitEnd(Printable(rule.substr(0, kLongestName)), 200);
}

const char* UnitText(const Diff& diff) { return UnitWord(diff.unit); }

std::string OutcomeText(const Outcome& outcome, const Diff& diff) {
  std::string text;
  if (outcome.tested) {
    text = ChangeText(outcome.estimate.effect) + " (" + ChangeText(outcome.interval.low) + " to " +
           ChangeText(outcome.interval.high) + "), ";
  }
  return text + Duration(Whole(outcome.base)) + " -> " + Duration(Whole(outcome.head)) + " per " +
         UnitText(diff);
}

bool IsToldOf(const Change& change, const compare::Settings& settings) {
  return change.outcome.share >= settings.least_share ||
         change.outcome.verdict == Verdict::kRegression ||
         change.outcome.verdict == Verdict::kImprovement;
}

std::vector<Notice> NoticesOf(const Diff& diff, const compare::Settings& settings) {
  std::vector<Notice> notices;
  // If there are rules, all notices are about rules.
  const bool is_known = diff.obstacles.empty() && !diff.rules.empty();
  if (!is_known && RuledVerdict(diff) == Verdict::kInconclusive) {
    Notice notice{"inconclusive", NoticeLevel::kWarning, "inconclusive"};
    notice.title = "it is unclear whether anything is slower";
    notice.text = WhyInconclusive(diff, settings);
    notices.push_back(std::move(notice));
    if (!diff.obstacles.empty()) return notices;
  }
  std::set<std::string> told;  // identities that a rule has reported
  for (const compare::RuleResult& result : diff.rules) {
    if (!result.fired && result.verdict != Verdict::kInconclusive) continue;
    notices.push_back(OfRule(diff, result));
    if (result.fired) told.insert(SubjectOf(diff, result, notices.back()));
  }
  // If there are rules, only rules make errors. Other findings are then warnings.
  const auto level = diff.rules.empty() ? NoticeLevel::kError : NoticeLevel::kWarning;
  const auto add = [&](Notice notice) {
    if (told.count(notice.identity) != 0) return;
    if (notice.level == NoticeLevel::kError) notice.level = level;
    notices.push_back(std::move(notice));
  };
  const auto add_total = [&](const char* what, const Outcome& total) {
    if (total.verdict == Verdict::kRegression) add(NoticeOfTotal(what, total, diff));
  };
  add_total(TotalText(diff), diff.total);
  add_total(kGpuTime, diff.gpu_total);
  for (const Change& change : diff.kernels) {
    if (IsRegression(change)) add(OfChange("regression-kernel", change, kGpuTime, diff));
  }
  for (const Change& change : diff.functions) {
    if (IsRegression(change)) add(OfChange("regression-function", change, ClockText(diff), diff));
  }
  for (const compare::CountChange& change : diff.counts) add(OfCount(change));
  std::stable_sort(notices.begin(), notices.end(),
                   [](const Notice& a, const Notice& b) { return a.level < b.level; });
  return notices;
}

std::vector<NoticeRule> NoticeRules(const Diff& diff) {
  std::vector<NoticeRule> rules = {
      {"regression-total", "The whole program takes longer."},
      {"regression-kernel", "A GPU kernel or copy takes longer."},
      {"regression-function", "A function's own code takes longer."},
      {"count-changed", "The program does something more or less often than before."},
      {"inconclusive", "The recordings do not show whether anything is slower."}};
  for (const compare::RuleResult& result : diff.rules) {
    const std::string id = RuleId(result.rule);
    const bool is_new = std::none_of(rules.begin(), rules.end(),
                                     [&](const NoticeRule& rule) { return rule.id == id; });
    if (is_new) rules.push_back({id, "The rule '" + id.substr(5) + "' does not hold."});
  }
  return rules;
}

std::string Fingerprint(const Notice& notice) {
  const uint64_t hash = ContentHash().Add(notice.rule).Add(notice.identity).value();
  return HexText(hash, 16);
}

}  // namespace gprofx
