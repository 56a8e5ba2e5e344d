#include "cli/ci/per_test/faces.h"

#include <cmath>

#include "cli/ci/history_text.h"
#include "cli/ci/per_test/html/page.h"
#include "cli/diff/outputs/formats.h"
#include "cli/diff/outputs/junit_xml.h"
#include "cli/diff/outputs/markdown_sheet.h"
#include "cli/diff/outputs/sarif.h"
#include "cli/diff/words.h"
#include "cli/report/number.h"
#include "cli/terminal/text.h"

namespace gprofx {
namespace {

constexpr int kLongestName = 300;

std::string NameOf(const BenchmarkResult& one) {
  return FitMiddle(Printable(one.name), kLongestName);
}

// Returns a text with the times of a benchmark: "+12.1% (+10.2% to +13.9%), 1.20 ms -> 1.35 ms a
// call".
std::string TimesText(const BenchmarkResult& one) {
  if (!HasTimes(one)) return FitEnd(Printable(one.note), 500);
  const std::string interval = IntervalText(one);
  return ChangeText(one.estimate.effect) + (interval.empty() ? "" : " (" + interval + ")") + ", " +
         ShortTimeText(one.base_ns) + " -> " + ShortTimeText(one.head_ns) + " a call";
}

Notice NoticeOf(const BenchmarkResult& one) {
  const bool slower = one.verdict == BenchmarkVerdict::kSlower;
  Notice notice{slower ? "slower-benchmark" : "failed-benchmark", NoticeLevel::kError, one.name};
  notice.title = NameOf(one) + (slower ? " is slower" : " failed");
  notice.text = NameOf(one) + ": " + TimesText(one);
  for (const std::string& reason : ReasonsOf(one)) notice.text += "; " + reason;
  if (!slower || one.blamed.empty()) return notice;
  const Blamed& first = one.blamed.front();
  notice.name = first.name;
  notice.file = first.file;
  notice.line = first.line;
  notice.seen_file = first.seen_file;
  notice.seen_line = first.seen_line;
  return notice;
}

Notice NoticeOf(const BenchmarkResult& one, const ChangedCount& count) {
  Notice notice{"count-changed", NoticeLevel::kWarning, one.name + "\n" + count.name};
  const std::string name = ShortCountName(count.name);
  notice.title = name + (count.head > count.base ? ": more" : ": fewer") + " in " + NameOf(one);
  notice.text = NameOf(one) + ": " + name + ": " + Grouped(count.base) + " -> " +
                Grouped(count.head) + " in each " + count.per;
  return notice;
}

const std::vector<NoticeRule>& Rules() {
  static const std::vector<NoticeRule> rules = {
      {"slower-benchmark", "A benchmark takes longer."},
      {"failed-benchmark", "A benchmark does not run."},
      {"count-changed", "A benchmark does something more or less often than before."}};
  return rules;
}

JunitCase CaseOf(const BenchmarkResult& one) {
  JunitCase made{one.name, CaseResult::kPassed, "", "", ""};
  if (HasTimes(one)) made.seconds = one.head_ns / 1e9;
  made.type = VerdictText(one.verdict);
  made.message = TimesText(one);
  made.text = std::string(VerdictText(one.verdict)) + ": " + made.message;
  if (HasTimes(one) && !one.note.empty()) made.text += "\n" + Printable(one.note);
  for (const std::string& reason : ReasonsOf(one)) made.text += "\n" + reason;
  switch (one.verdict) {
    case BenchmarkVerdict::kSlower:
      made.result = CaseResult::kFailed;
      break;
    case BenchmarkVerdict::kFailed:
      made.result = CaseResult::kError;
      break;
    case BenchmarkVerdict::kUnknown:
    case BenchmarkVerdict::kSkipped:
      made.result = CaseResult::kSkipped;
      break;
    case BenchmarkVerdict::kSame:
    case BenchmarkVerdict::kFaster:
      break;
  }
  return made;
}

std::string RowOf(const BenchmarkResult& one) {
  const bool is_sure =
      one.verdict == BenchmarkVerdict::kSlower || one.verdict == BenchmarkVerdict::kFaster;
  const std::string strong = is_sure ? "**" : "";
  const bool times = HasTimes(one);
  return "| " + strong + VerdictText(one.verdict) + strong + " | " +
         (times ? ChangeText(one.estimate.effect) : "") + " | " + IntervalText(one) + " | " +
         (times ? ShortTimeText(one.base_ns) : "") + " | " +
         (times ? ShortTimeText(one.head_ns) : "") + " | <code>" + MarkdownText(NameOf(one)) +
         "</code> |\n";
}

constexpr char kHead[] =
    "| | change | 95% interval | base | head | benchmark |\n"
    "|:--|--:|--:|--:|--:|:--|\n";

// True if a reviewer must see this benchmark. The others are folded.
bool IsNews(const BenchmarkResult& one) {
  return one.verdict == BenchmarkVerdict::kSlower || one.verdict == BenchmarkVerdict::kFaster ||
         one.verdict == BenchmarkVerdict::kFailed || !one.counts.empty();
}

}  // namespace

std::vector<Notice> PerTestNotices(const PerTestResult& result) {
  std::vector<Notice> notices;
  for (const BenchmarkResult& one : result.benchmarks) {
    const bool fails =
        one.verdict == BenchmarkVerdict::kSlower || one.verdict == BenchmarkVerdict::kFailed;
    if (fails) notices.push_back(NoticeOf(one));
  }
  for (const BenchmarkResult& one : result.benchmarks) {
    for (const ChangedCount& count : one.counts) notices.push_back(NoticeOf(one, count));
  }
  return notices;
}

// The first line marks the comment. A later job finds the comment by this mark and replaces it.
std::string PerTestSource::Markdown(size_t most_bytes) const {
  MarkdownSheet sheet(most_bytes);
  sheet.Add("<!-- gprof-x per-test -->\n### gprof-x: " + PerTestHeadline(result_) + "\n\n");
  sheet.Add("Base and head of each benchmark ran in turns on one machine. Times are per call.\n\n");
  size_t news = 0;
  for (const BenchmarkResult& one : result_.benchmarks) news += IsNews(one) ? 1 : 0;
  if (news > 0) sheet.Add(kHead);
  for (const BenchmarkResult& one : result_.benchmarks) {
    if (IsNews(one)) sheet.Add(RowOf(one));
  }
  for (const BenchmarkResult& one : result_.benchmarks) {
    const std::vector<std::string> reasons = ReasonsOf(one);
    if (!IsNews(one) || (reasons.empty() && one.note.empty())) continue;
    sheet.Add("\n<code>" + MarkdownText(NameOf(one)) + "</code>\n\n");
    if (!one.note.empty()) sheet.Add("- " + MarkdownText(FitEnd(Printable(one.note), 500)) + "\n");
    for (const std::string& reason : reasons) sheet.Add("- " + MarkdownText(reason) + "\n");
  }
  if (news == result_.benchmarks.size()) return sheet.Finish();
  sheet.Open("\n<details><summary>All other benchmarks</summary>\n\n" + std::string(kHead));
  for (const BenchmarkResult& one : result_.benchmarks) {
    if (!IsNews(one)) sheet.Add(RowOf(one));
  }
  sheet.Close("\n</details>\n");
  return sheet.Finish();
}

std::string PerTestSource::Annotations(const OutputPlace& place) const {
  return NoticesAnnotations(PerTestNotices(result_), place);
}

Result<std::string> PerTestSource::Text(std::string DiffOutputs::*which,
                                        const OutputPlace& place) const {
  if (which == &DiffOutputs::html) return PerTestPage(run_, result_, history_);
  if (which == &DiffOutputs::gitlab) return NoticesGitlab(PerTestNotices(result_), place);
  if (which == &DiffOutputs::sarif) {
    return NoticesSarif(PerTestNotices(result_), Rules(), {"count-changed"},
                        {{"verdict", PerTestHeadline(result_)}}, place);
  }
  std::vector<JunitCase> cases;
  for (const BenchmarkResult& one : result_.benchmarks) cases.push_back(CaseOf(one));
  return JunitXml({"gprof-x benchmarks", "gprof-x." + result_.harness, PerTestHeadline(result_)},
                  cases);
}

}  // namespace gprofx
