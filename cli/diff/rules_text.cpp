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
    std::vector<std::string> parts = {Paint(around.screen, ink, RuleWord(result)) + ":",
                                      Printable(result.rule) + ":", Printable(result.evidence)};
    if (!counts) parts.push_back("(" + Printable(result.suppressed_by) + ")");
    text += DiffLines(around, parts);
  }
  return text + "\n";
}

}  // namespace gprofx
