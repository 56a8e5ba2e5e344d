// Summarizes a comparison for people in GitHub's Markdown. The verdict and the certain changes are
// visible; everything else is folded. Lines that do not fit are omitted, and the end of the text
// says so.
#include <cmath>

#include "cli/diff/outputs/formats.h"
#include "cli/diff/outputs/markdown_sheet.h"
#include "cli/diff/outputs/notices.h"
#include "cli/diff/words.h"
#include "cli/report/number.h"
#include "cli/terminal/shorten.h"
#include "cli/terminal/text.h"
#include "core/views/naming/names.h"

namespace gprofx {
namespace {

using compare::Change;
using compare::Diff;
using compare::Outcome;
using compare::Verdict;

constexpr char kHead[] =
    "| | change | 95% interval | base | head | share | kind | name |\n"
    "|:--|--:|--:|--:|--:|--:|:--|:--|\n";

std::string Name(const std::string& name) {
  return "<code>" + MarkdownText(ShortPart(name, 120)) + "</code>";
}

std::string WordOf(const Change& change) {
  if (change.fate != Change::kThere) return FateWord(change.fate);
  if (change.moved) return "moved";
  if (!change.outcome.tested) return "";
  switch (change.outcome.verdict) {
    case Verdict::kRegression:
      return change.suppressed_by.empty() ? "slower" : "slower, suppressed";
    case Verdict::kImprovement:
      return "faster";
    case Verdict::kEquivalent:
      return "equal";
    default:
      return "unclear";
  }
}

std::string RowOf(const std::string& word, const Outcome& outcome, const std::string& kind,
                  const std::string& name) {
  std::string change, interval;
  if (outcome.tested) {
    change = ChangeText(outcome.estimate.effect);
    interval = ChangeText(outcome.interval.low) + " to " + ChangeText(outcome.interval.high);
  } else if (outcome.base > 0 && outcome.head > 0) {
    change = ChangeText(std::log(outcome.head / outcome.base));
  }
  const bool is_sure =
      outcome.verdict == Verdict::kRegression || outcome.verdict == Verdict::kImprovement;
  const std::string strong = is_sure && !word.empty() ? "**" : "";
  return "| " + strong + word + strong + " | " + change + " | " + interval + " | " +
         Duration(Whole(outcome.base)) + " | " + Duration(Whole(outcome.head)) + " | " +
         Percent(outcome.share, 1) + " | " + MarkdownText(kind) + " | " + name + " |\n";
}

std::string RowOf(const Change& change) {
  std::string name = Name(change.part.name);
  if (!change.other.empty()) name += " (was " + Name(change.other) + ")";
  if (!change.part.file.empty()) {
    name += " " + MarkdownText(FitStart(Printable(ShortFile(change.part.file)), 60)) +
            (change.part.line > 0 ? "&#58;" + std::to_string(change.part.line) : "");
  }
  return RowOf(WordOf(change), change.outcome,
               std::string(KindWord(change.part.kind, change.part.name)), name);
}

bool IsSure(const Change& change) {
  return change.outcome.verdict == Verdict::kRegression ||
         change.outcome.verdict == Verdict::kImprovement;
}

void AddTotal(MarkdownSheet& sheet, const char* what, const Outcome& total) {
  Outcome whole = total;
  whole.share = 1;
  const std::string word = total.tested ? VerdictWord(total.verdict) : "";
  sheet.Add(RowOf(word, whole, "", std::string("the whole run: ") + what));
}

void AddCounts(MarkdownSheet& sheet, const Diff& diff) {
  if (diff.counts.empty()) return;
  const bool per_step = diff.unit == compare::Unit::kStep;
  sheet.Add(std::string("\nCounts that differ, in each ") + UnitText(diff) +
            ":\n\n| base | head | change | what |\n|--:|--:|--:|:--|\n");
  for (const compare::CountChange& change : diff.counts) {
    const int64_t more = change.head - change.base;
    sheet.Add("| " + Grouped(change.base) + " | " + Grouped(change.head) + " | " +
              (more > 0 ? "+" : "") + Grouped(more) + " | <code>" +
              MarkdownText(ShortCountName(change.name)) + "</code>" +
              (per_step && !change.per_step ? " (per run)" : "") + " |\n");
  }
}

void AddRules(MarkdownSheet& sheet, const Diff& diff) {
  if (diff.rules.empty()) return;
  sheet.Add("| | rule | what was seen |\n|:--|:--|:--|\n");
  for (const compare::RuleResult& result : diff.rules) {
    const bool breaks = result.fired && result.suppressed_by.empty();
    std::string word = breaks ? std::string("**") + RuleWord(result) + "**" : RuleWord(result);
    if (!result.suppressed_by.empty()) {
      word += " (" + MarkdownText(FitEnd(Printable(result.suppressed_by), 200)) + ")";
    }
    sheet.Add("| " + word + " | <code>" + MarkdownText(FitEnd(Printable(result.rule), 200)) +
              "</code> | " + MarkdownText(FitEnd(Printable(result.evidence), 400)) + " |\n");
  }
  sheet.Add("\n");
}

}  // namespace

// Encodes text as character entities, which are not interpreted as markup. Only characters that
// have no meaning in Markdown are kept. The dot is encoded because "www." begins a link.
std::string MarkdownText(std::string_view text) {
  static constexpr std::string_view kPlain = " 0123456789,/%+()=";
  std::string out;
  for (const char c : Printable(text)) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool is_dot = c == '.' && !out.ends_with('w') && !out.ends_with('W');
    const bool is_plain = kPlain.find(c) != std::string_view::npos;
    if (byte >= 0x80 || is_letter || is_dot || is_plain) {
      out += c;
    } else {
      out += "&#" + std::to_string(byte) + ";";
    }
  }
  return out;
}

std::string DiffMarkdown(const Diff& diff, const DiffOptions& options, const DiffSurroundings&,
                         size_t most_bytes) {
  MarkdownSheet sheet(most_bytes);
  sheet.Add(std::string("### gprof-x: ") + HeadlineText(diff) + "\n\n");
  for (const Notice& notice : NoticesOf(diff, options.settings)) {
    if (notice.identity == "inconclusive") sheet.Add(MarkdownText(notice.text) + "\n\n");
  }
  for (const compare::Obstacle& note : diff.differences) {
    sheet.Add("Note: " + MarkdownText(FitEnd(Printable(ObstacleText(note)), 600)) + "\n\n");
  }
  if (diff.obstacles.empty()) {
    sheet.Add(RunsText(diff.base_runs) + " against " + RunsText(diff.head_runs) +
              (diff.paired && diff.base_runs > 1 ? ", in pairs" : "") + "; times are per " +
              UnitText(diff) + ".\n\n");
    AddRules(sheet, diff);
    sheet.Add(kHead);
    AddTotal(sheet, TotalText(diff), diff.total);
    if (!diff.kernels.empty()) AddTotal(sheet, "GPU time", diff.gpu_total);
    for (const auto* list : {&diff.kernels, &diff.functions}) {
      for (const Change& change : *list) {
        if (IsSure(change)) sheet.Add(RowOf(change));
      }
    }
    AddCounts(sheet, diff);
    sheet.Open("\n<details><summary>All other functions and kernels</summary>\n\n" +
               std::string(kHead));
    for (const auto* list : {&diff.kernels, &diff.functions}) {
      for (const Change& change : *list) {
        if (!IsSure(change) && IsToldOf(change, options.settings)) sheet.Add(RowOf(change));
      }
    }
    sheet.Close("\n</details>\n");
  }
  return sheet.Finish();
}

}  // namespace gprofx
