// What a comparison found, one by one and most important first, as machines want to be told.
//
// Where recordings cannot be compared, that is the only notice: nothing else was found out. Pure.
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
  std::string identity;  // the same for every version of the program: no line, no number
  // For people: printable, of one line, not escaped for any place.
  std::string title, text;
  // Where; as they are in the program, so whoever writes them escapes them.
  std::string name;  // of the function or kernel; "" = it is about the whole
  std::string file;  // "" = unknown
  uint32_t line = 0;
  std::string seen_file;  // the user's line that causes most of it; "" = unknown
  uint32_t seen_line = 0;
  std::string suppressed_by;  // who answers for not failing on it; "" = nobody
};

std::vector<Notice> NoticesOf(const compare::Diff& diff, const compare::Settings& settings);

struct NoticeRule {
  std::string id, what;  // one sentence
};
// Those that notices may name.
std::vector<NoticeRule> NoticeRules(const compare::Diff& diff);

// 16 hexadecimal digits, the same for the same finding in every version.
std::string Fingerprint(const Notice& notice);

// "+20.1% (+15.2% to +25.3%), 250 ms -> 300 ms per run".
std::string OutcomeText(const compare::Outcome& outcome, const compare::Diff& diff);

const char* UnitText(const compare::Diff& diff);  // "run", "step"

// A name in little room, printable.
std::string ShortPart(const std::string& name, int columns = 160);

std::string ShortCountName(const std::string& name);

// What a row is in every version, see core/compare/key.h.
std::string KeyOfChange(const compare::Change& change);

std::string RuleId(const std::string& rule);  // "rule-total>1%"

// Slower, and not only because time moved.
bool IsRegression(const compare::Change& change);

const char* TotalText(const compare::Diff& diff);  // what Diff::total is

// "wall time" or "CPU time", of which functions have a part.
const char* ClockText(const compare::Diff& diff);

// Which changes rows of tables are worth: those that are large enough, or say something.
bool IsToldOf(const compare::Change& change, const compare::Settings& settings);

}  // namespace gprofx
