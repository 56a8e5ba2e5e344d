#include <algorithm>
#include <map>

#include "cli/diff/outputs/formats.h"
#include "cli/diff/outputs/junit_xml.h"
#include "cli/diff/outputs/notices.h"
#include "cli/diff/words.h"
#include "cli/report/number.h"
#include "cli/terminal/text.h"

namespace gprofx {
namespace {

using compare::Change;
using compare::Diff;
using compare::Outcome;
using compare::Verdict;

constexpr int kTableColumns = 120;
constexpr size_t kMaxCases = 1'000;  // maximum number of regressions

// Returns how important a result is. A case with several results shows the most important one.
int Rank(CaseResult result) {
  static constexpr int kRanks[] = {0, 3, 2, 1};
  return kRanks[static_cast<size_t>(result)];
}

CaseResult ResultOf(Verdict verdict) {
  if (verdict == Verdict::kRegression) return CaseResult::kFailed;
  return verdict == Verdict::kInconclusive ? CaseResult::kSkipped : CaseResult::kPassed;
}

JunitCase CaseOfTotal(const char* what, const Outcome& outcome, const Diff& diff) {
  JunitCase made{std::string("total: ") + what, ResultOf(outcome.verdict), "", "", ""};
  made.type = VerdictWord(outcome.verdict);
  made.message = OutcomeText(outcome, diff);
  return made;
}

// Returns one case for all changes that were tested and are no regressions.
JunitCase OfOthers(const char* what, const std::vector<Change>& changes) {
  size_t tested = 0, unclear = 0;
  for (const Change& change : changes) {
    if (!change.outcome.tested) continue;
    if (IsRegression(change)) continue;
    ++tested;
    unclear += change.outcome.verdict == Verdict::kInconclusive ? 1 : 0;
  }
  JunitCase made{std::string("all other ") + what, CaseResult::kPassed, "", "", ""};
  made.text = Grouped(static_cast<int64_t>(tested)) + " tested, none of them certainly slower; " +
              Grouped(static_cast<int64_t>(unclear)) +
              (unclear == 1 ? " is unclear" : " are unclear");
  return made;
}

JunitCase OfCounts(const Diff& diff) {
  JunitCase made{"what was done", CaseResult::kPassed, "", "", ""};
  made.text = Grouped(static_cast<int64_t>(diff.counts_equal)) + " counts are equal, " +
              Grouped(static_cast<int64_t>(diff.counts_varying)) + " vary from run to run, " +
              Grouped(static_cast<int64_t>(diff.counts.size())) + " changed";
  return made;
}

// Adds one case for each rule. Its name is the text of the rule, even if the rule applies to many
// functions.
void AddRules(const Diff& diff, std::vector<JunitCase>& cases) {
  std::map<std::string, size_t> place;
  for (const compare::RuleResult& result : diff.rules) {
    const auto [found, made] = place.try_emplace(result.rule, cases.size());
    if (made) cases.push_back({result.rule, CaseResult::kPassed, "", "", ""});
    JunitCase& each = cases[found->second];
    const std::string evidence = Printable(result.evidence);
    each.text += evidence + "\n";
    CaseResult now = CaseResult::kPassed;
    if (!result.suppressed_by.empty()) {
      now = CaseResult::kSkipped;
    } else if (result.fired) {
      now = CaseResult::kFailed;
    } else if (result.verdict == Verdict::kInconclusive) {
      now = CaseResult::kError;
    }
    if (Rank(now) <= Rank(each.result)) continue;
    each.result = now;
    each.type = now == CaseResult::kError ? "inconclusive" : "rule";
    each.message = evidence;
    if (now == CaseResult::kSkipped) each.message = "suppressed by " + result.suppressed_by;
  }
}

void AddRegressions(const Diff& diff, const std::vector<Notice>& notices,
                    std::vector<JunitCase>& cases) {
  cases.push_back(CaseOfTotal(TotalText(diff), diff.total, diff));
  if (!diff.kernels.empty()) cases.push_back(CaseOfTotal("GPU time", diff.gpu_total, diff));
  cases.push_back(OfCounts(diff));
  size_t regressions = 0;
  for (const Notice& notice : notices) {
    if (notice.level != NoticeLevel::kError || notice.name.empty()) continue;
    if (++regressions > kMaxCases) break;
    std::string text = notice.text;
    if (!notice.file.empty()) {
      text += "\nat " + Printable(notice.file) + ":" + std::to_string(notice.line);
    }
    JunitCase made{notice.title, CaseResult::kFailed, notice.rule, notice.text, text};
    if (!notice.suppressed_by.empty()) {
      made.result = CaseResult::kSkipped;
      made.message = "suppressed by " + notice.suppressed_by;
    }
    cases.push_back(std::move(made));
  }
  cases.push_back(OfOthers("functions", diff.functions));
  if (!diff.kernels.empty()) cases.push_back(OfOthers("kernels", diff.kernels));
}

}  // namespace

std::string DiffJunit(const Diff& diff, const DiffOptions& options,
                      const DiffSurroundings& around) {
  DiffSurroundings page = around;
  page.screen = {kTableColumns, false};
  std::vector<JunitCase> cases;
  const std::vector<Notice> notices = NoticesOf(diff, options.settings);
  for (const Notice& notice : notices) {
    if (notice.identity != "inconclusive") continue;
    cases.push_back({"the recordings tell", CaseResult::kError, notice.rule, notice.text, ""});
  }
  if (diff.obstacles.empty()) {
    if (diff.rules.empty()) {
      AddRegressions(diff, notices, cases);
    } else {
      AddRules(diff, cases);
    }
  }
  // Add the whole table to one case only: the first that failed, otherwise the first.
  const auto first = std::find_if(cases.begin(), cases.end(), [](const JunitCase& each) {
    return each.result == CaseResult::kFailed || each.result == CaseResult::kError;
  });
  JunitCase& told = first != cases.end() ? *first : cases.front();
  told.text += (told.text.empty() ? "\n" : "\n\n") + DiffText(diff, options, page);
  return JunitXml({"gprof-x diff", "gprof-x.diff", HeadlineText(diff)}, cases);
}

}  // namespace gprofx
