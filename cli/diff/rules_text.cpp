#include "cli/diff/tables_text.h"
#include "cli/diff/words.h"
#include "cli/terminal/text.h"

namespace gprofx {

using compare::RuleResult;
using compare::Verdict;

std::string RulesText(const compare::Diff& diff, const DiffSurroundings& around) {
  if (diff.rules.empty()) return "";
  std::string text;
  for (const RuleResult& result : diff.rules) {
    const bool counts = result.suppressed_by.empty();
    const Ink ink = !counts || result.verdict == Verdict::kEquivalent ? Ink::kGood
                    : result.fired                                    ? Ink::kBad
                                                                      : Ink::kWarn;
    // Shorten the evidence in the middle. A name in it may be longer than the screen, and the
    // numbers are at its end.
    constexpr int kIndent = 2, kMaxLines = 3;
    const int columns = around.screen.columns;
    std::vector<std::string> words;
    AddWords(Printable(result.rule) + ":", words);
    AddWords(FitMiddle(Printable(result.evidence), kMaxLines * columns), words);
    if (!counts) AddWords("(" + Printable(result.suppressed_by) + ")", words);
    for (std::string& word : words) word = FitMiddle(word, columns - kIndent);
    words.insert(words.begin(), Paint(around.screen, ink, RuleWord(result)) + ":");
    text += DiffLines(around, words);
  }
  return text + "\n";
}

}  // namespace gprofx
