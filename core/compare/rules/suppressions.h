// Who answers for a change that a rule does not want, why, and for how long:
//
//   suppress RULE-OR-NAME owner=NAME until=YYYY-MM-DD because=TEXT
//
// What it names (a rule as it is written, or a function, kernel, line, operator or count by its
// whole name) fails nothing, and is listed. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gprofx::compare {

struct Suppression {
  std::string what;  // a rule as it is written, or the name of what it is about
  std::string owner, because;
  int32_t until = 0;  // yyyymmdd: the last day on which it counts
  size_t line = 0;    // in its file

  std::string Text() const;  // "alice until 2026-01-31: known, being worked on"
};

// Why a line of a file with rules, or a rule, cannot be understood.
struct RuleError {
  std::string what;  // one line
  std::string text;  // the rule or line
  size_t place = 0;  // byte of `text` that it is about
  size_t line = 0;   // in a file, from 1; 0 = none
};

bool IsBlank(char c);  // within a line
std::string_view Trimmed(std::string_view text);

bool IsSuppression(std::string_view line);
std::optional<RuleError> ParseSuppression(std::string_view line, Suppression& suppression);

// The first one that does not count any more on this day (yyyymmdd).
const Suppression* ExpiredOn(int32_t today, std::span<const Suppression> suppressions);

std::string DateText(int32_t date);  // "2026-01-31"

}  // namespace gprofx::compare
