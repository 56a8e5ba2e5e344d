// Uses the dialect of Jenkins' junit-10.xsd, which GitLab, GitHub actions and pytest share.
#include <algorithm>
#include <map>

#include "cli/diff/outputs/formats.h"
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
constexpr size_t kMaxCases = 1'000;  // of regressions

enum class CaseResult : uint8_t { kPassed, kFailed, kError, kSkipped };

struct Case {
  std::string name;
  CaseResult result = CaseResult::kPassed;
  std::string type, message;  // unless passed
  std::string text;           // the table
};

// Returns the importance of a result. A case with several results shows the most important one.
int Rank(CaseResult result) {
  static constexpr int kRanks[] = {0, 3, 2, 1};
  return kRanks[static_cast<size_t>(result)];
}

struct Suite {
  std::vector<Case> cases;

  size_t Count(CaseResult result) const {
    return static_cast<size_t>(std::count_if(
        cases.begin(), cases.end(), [&](const Case& each) { return each.result == result; }));
  }
};

std::string CaseXml(const Case& each) {
  std::string xml = "    <testcase classname=\"gprof-x.diff\" name=\"" + XmlText(each.name) + "\"";
  static constexpr const char* kTags[] = {"system-out", "failure", "error", "skipped"};
  const char* tag = kTags[static_cast<size_t>(each.result)];
  if (each.result == CaseResult::kPassed && each.text.empty()) return xml + "/>\n";
  xml += ">\n      <" + std::string(tag);
  if (each.result != CaseResult::kPassed) {
    xml += " type=\"" + XmlText(each.type) + "\" message=\"" + XmlText(each.message) + "\"";
  }
  return xml + ">" + XmlText(each.text) + "</" + tag + ">\n    </testcase>\n";
}

std::string SuiteXml(const Suite& suite, const Diff& diff) {
  const std::string counts = " name=\"gprof-x diff\" tests=\"" +
                             std::to_string(suite.cases.size()) + "\" failures=\"" +
                             std::to_string(suite.Count(CaseResult::kFailed)) + "\" errors=\"" +
                             std::to_string(suite.Count(CaseResult::kError)) + "\"";
  std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" + counts +
                    ">\n  <testsuite" + counts + " skipped=\"" +
                    std::to_string(suite.Count(CaseResult::kSkipped)) + "\">\n";
  xml += "    <properties>\n      <property name=\"verdict\" value=\"" +
         XmlText(HeadlineText(diff)) + "\"/>\n    </properties>\n";
  for (const Case& each : suite.cases) xml += CaseXml(each);
  return xml + "  </testsuite>\n</testsuites>\n";
}

CaseResult ResultOf(Verdict verdict) {
  if (verdict == Verdict::kRegression) return CaseResult::kFailed;
  return verdict == Verdict::kInconclusive ? CaseResult::kSkipped : CaseResult::kPassed;
}

Case OfTotal(const char* what, const Outcome& outcome, const Diff& diff) {
  Case made{std::string("total: ") + what, ResultOf(outcome.verdict), "", "", ""};
  made.type = VerdictWord(outcome.verdict);
  made.message = OutcomeText(outcome, diff);
  return made;
}

// Returns one case for everything that was tested and is no regression.
Case OfOthers(const char* what, const std::vector<Change>& changes) {
  size_t tested = 0, unclear = 0;
  for (const Change& change : changes) {
    if (!change.outcome.tested) continue;
    if (IsRegression(change)) continue;
    ++tested;
    unclear += change.outcome.verdict == Verdict::kInconclusive ? 1 : 0;
  }
  Case made{std::string("all other ") + what, CaseResult::kPassed, "", "", ""};
  made.text = Grouped(static_cast<int64_t>(tested)) + " tested, none of them slower for sure; of " +
              Grouped(static_cast<int64_t>(unclear)) + " it cannot be told";
  return made;
}

Case OfCounts(const Diff& diff) {
  Case made{"what was done", CaseResult::kPassed, "", "", ""};
  made.text = Grouped(static_cast<int64_t>(diff.counts_equal)) + " counts are equal, " +
              Grouped(static_cast<int64_t>(diff.counts_varying)) + " vary from run to run, " +
              Grouped(static_cast<int64_t>(diff.counts.size())) + " changed";
  return made;
}

// Adds one case for each rule, as written, regardless of the number of things that it applies to.
void AddRules(const Diff& diff, std::vector<Case>& cases) {
  std::map<std::string, size_t> place;
  for (const compare::RuleResult& result : diff.rules) {
    const auto [found, made] = place.try_emplace(result.rule, cases.size());
    if (made) cases.push_back({result.rule, CaseResult::kPassed, "", "", ""});
    Case& each = cases[found->second];
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
                    std::vector<Case>& cases) {
  cases.push_back(OfTotal(TotalText(diff), diff.total, diff));
  if (!diff.kernels.empty()) cases.push_back(OfTotal("GPU time", diff.gpu_total, diff));
  cases.push_back(OfCounts(diff));
  size_t regressions = 0;
  for (const Notice& notice : notices) {
    if (notice.level != NoticeLevel::kError || notice.name.empty()) continue;
    if (++regressions > kMaxCases) break;
    std::string text = notice.text;
    if (!notice.file.empty()) {
      text += "\nat " + Printable(notice.file) + ":" + std::to_string(notice.line);
    }
    Case made{notice.title, CaseResult::kFailed, notice.rule, notice.text, text};
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

std::string XmlText(std::string_view text) {
  std::string out;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = Printable(text.substr(begin, end - begin));
    for (size_t i = 0; i < line.size(); ++i) {
      switch (line[i]) {
        case '&':
          out += "&amp;";
          break;
        case '<':
          out += "&lt;";
          break;
        case '>':
          out += "&gt;";
          break;
        case '"':
          out += "&quot;";
          break;
        case '\xEF':  // U+FFFE and U+FFFF are not valid in XML
          if (line.compare(i, 3, "\xEF\xBF\xBE") == 0 || line.compare(i, 3, "\xEF\xBF\xBF") == 0) {
            out += "\xEF\xBF\xBD";
            i += 2;
            break;
          }
          [[fallthrough]];
        default:
          out += line[i];
      }
    }
    if (end < text.size()) out += '\n';
    begin = end + 1;
  }
  return out;
}

std::string DiffJunit(const Diff& diff, const DiffOptions& options,
                      const DiffSurroundings& around) {
  DiffSurroundings page = around;
  page.screen = {kTableColumns, false};
  Suite suite;
  std::vector<Case>& cases = suite.cases;
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
  // Attach the whole table once, to the first failure.
  const auto first = std::find_if(cases.begin(), cases.end(), [](const Case& each) {
    return each.result == CaseResult::kFailed || each.result == CaseResult::kError;
  });
  Case& told = first != cases.end() ? *first : cases.front();
  told.text += (told.text.empty() ? "\n" : "\n\n") + DiffText(diff, options, page);
  return SuiteXml(suite, diff);
}

}  // namespace gprofx
