// --fail-on and --rules: reads rules from the command line and from a file
// (core/compare/rules/rules.h).
#pragma once

#include <string>
#include <vector>

#include "core/compare/rules/rules.h"

namespace gprofx {

// Returns the error line, the rule and a caret under the position. Escaped.
std::string RuleErrorText(const std::string& command, const compare::RuleError& error,
                          const std::string& file);

// Returns today's date in UTC as yyyymmdd.
int32_t Today();

// Fills `rules`. Returns false after printing an error to standard error: a rule that cannot be
// parsed, a file that cannot be read, or an expired suppression.
bool ReadRules(const char* command, const std::vector<std::string>& fail_on,
               const std::string& file, int32_t today, compare::RuleSet& rules);

}  // namespace gprofx
