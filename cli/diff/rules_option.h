// --fail-on and --rules: rules of the command line and of a file (core/compare/rules/rules.h).
#pragma once

#include <string>
#include <vector>

#include "core/compare/rules/rules.h"

namespace gprofx {

// The line that says what is wrong, the rule and a caret under the place. Escaped.
std::string RuleErrorText(const std::string& command, const compare::RuleError& error,
                          const std::string& file);

// Today in UTC as yyyymmdd.
int32_t Today();

// Fills `rules`; false where there is something wrong, and it was said on standard error: a rule
// that cannot be understood, a file that cannot be read, or a suppression that does not count any
// more.
bool ReadRules(const char* command, const std::vector<std::string>& fail_on,
               const std::string& file, int32_t today, compare::RuleSet& rules);

}  // namespace gprofx
