// Parses suppressions. A suppression accepts a change that violates a rule. It says who accepts it,
// why, and until when:
//
//   suppress RULE-OR-NAME owner=NAME until=YYYY-MM-DD because=TEXT
//
// RULE-OR-NAME is a rule as written, or the full name of a function, kernel, line, operator or
// count. A suppressed rule or change is listed but does not fail the comparison. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gprofx::compare {

struct Suppression {
  std::string what;  // a rule as written, or a name (RULE-OR-NAME)
  std::string owner, because;
  int32_t until = 0;  // last day on which it is valid, as yyyymmdd
  size_t line = 0;    // line in its file, from 1

  std::string Text() const;  // "alice until 2026-01-31: known, being worked on"
};

// Says why a rule, or a line of a file of rules, is invalid.
struct RuleError {
  std::string what;  // one line
  std::string text;  // the rule or line
  size_t place = 0;  // byte offset of the error in `text`
  size_t line = 0;   // in the file, from 1; 0 = not from a file
};

bool IsSuppression(std::string_view line);
std::optional<RuleError> ParseSuppression(std::string_view line, Suppression& suppression);

// Returns the first suppression that has expired on the day `today` (yyyymmdd); null if none has.
const Suppression* ExpiredOn(int32_t today, std::span<const Suppression> suppressions);

std::string DateText(int32_t date);  // "2026-01-31"

}  // namespace gprofx::compare
