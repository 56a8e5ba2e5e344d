// The results of a comparison as a list for machines, most important first.
//
// If the recordings cannot be compared, that is the only notice. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/compare/diff.h"

namespace gprofx {

enum class NoticeLevel : uint8_t { kError, kWarning };

struct Notice {
  std::string rule;  // "regression-function"; see NoticeRules()
  NoticeLevel level = NoticeLevel::kError;
  std::string identity;  // the same in every version: no line, no number
  // For people: printable, one line, not escaped for any format.
  std::string title, text;
  // Location, unescaped: the writers of each format escape it.
  std::string name;  // of the function or kernel; "" = the notice is about the whole
  std::string file;  // "" = unknown
  uint32_t line = 0;
  std::string seen_file;  // the user's line that causes most of the time; "" = unknown
  uint32_t seen_line = 0;
  std::string suppressed_by;  // who is responsible for the suppression; "" = not suppressed
};

std::vector<Notice> NoticesOf(const compare::Diff& diff, const compare::Settings& settings);

struct NoticeRule {
  std::string id, what;  // one sentence
};
// Returns the rules that notices may refer to.
std::vector<NoticeRule> NoticeRules(const compare::Diff& diff);

// Returns 16 hexadecimal digits, the same for the same finding in every version.
std::string Fingerprint(const Notice& notice);

// "+20.1% (+15.2% to +25.3%), 250 ms -> 300 ms per run".
std::string OutcomeText(const compare::Outcome& outcome, const compare::Diff& diff);

const char* UnitText(const compare::Diff& diff);  // "run", "step"

// Returns `name`, shortened to `columns` and made printable.
std::string ShortPart(const std::string& name, int columns = 160);

std::string ShortCountName(const std::string& name);

// Returns the identity of a row across versions, see core/compare/key.h.
std::string KeyOfChange(const compare::Change& change);

std::string RuleId(const std::string& rule);  // "rule-total>1%"

// True if the change is slower, and not only because time moved between rows.
bool IsRegression(const compare::Change& change);

const char* TotalText(const compare::Diff& diff);  // the name of Diff::total

// Returns "wall time" or "CPU time": the clock of function times.
const char* ClockText(const compare::Diff& diff);

// True for changes that get a row in tables: large enough or significant.
bool IsToldOf(const compare::Change& change, const compare::Settings& settings);

}  // namespace gprofx
