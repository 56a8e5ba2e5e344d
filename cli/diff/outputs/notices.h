// Makes a list of the results of a comparison for programs, most important first. If the recordings
// cannot be compared, the list has one notice that says so. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/compare/diff.h"

namespace gprofx {

enum class NoticeLevel : uint8_t { kError, kWarning };

struct Notice {
  std::string rule;  // id of a rule, such as "regression-function"; see NoticeRules()
  NoticeLevel level = NoticeLevel::kError;
  std::string identity;  // the same in every version, so it has no line numbers or times
  // Texts for people: printable, one line each, not escaped for any format.
  std::string title, text;
  // Location, not escaped for any format.
  std::string name;  // function or kernel; "" = the notice is about the whole program
  std::string file;  // "" = unknown
  uint32_t line = 0;
  std::string seen_file;  // place in the user's code that causes most of the time; "" = unknown
  uint32_t seen_line = 0;
  std::string suppressed_by;  // who is responsible for the suppression; "" = not suppressed
};

std::vector<Notice> NoticesOf(const compare::Diff& diff, const compare::Settings& settings);

struct NoticeRule {
  std::string id, what;  // `what` is one sentence
};
// Returns all rules that notices may refer to.
std::vector<NoticeRule> NoticeRules(const compare::Diff& diff);

// Returns 16 hexadecimal digits that identify a finding. They are the same in every version.
std::string Fingerprint(const Notice& notice);

// Returns the change and both times as text: "+20.1% (+15.2% to +25.3%), 250 ms -> 300 ms per run".
std::string OutcomeText(const compare::Outcome& outcome, const compare::Diff& diff);

const char* UnitText(const compare::Diff& diff);  // "run", "step" or "call"

// Returns `name` as printable text, shortened to `columns`.
std::string ShortPart(const std::string& name, int columns = 160);

std::string ShortCountName(const std::string& name);

// Returns the identity of a row of the comparison, which is the same in every version
// (core/compare/key.h).
std::string KeyOfChange(const compare::Change& change);

std::string RuleId(const std::string& rule);  // such as "rule-total>1%"

// True if the function is slower, and not only because time moved between rows.
bool IsRegression(const compare::Change& change);

const char* TotalText(const compare::Diff& diff);  // name of Diff::total

// Returns the name of the clock of function times: "wall time" or "CPU time".
const char* ClockText(const compare::Diff& diff);

// True if the change gets a row in tables because it is large enough or significant.
bool IsToldOf(const compare::Change& change, const compare::Settings& settings);

}  // namespace gprofx
