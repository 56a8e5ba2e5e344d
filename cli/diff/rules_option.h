// Reads the rules of a comparison (core/compare/rules/rules.h): those of --fail-on from the command
// line, and those of --rules from a file.
#pragma once

#include <string>
#include <vector>

#include "core/compare/rules/rules.h"

namespace gprofx {

// Returns the message of the error, the rule, and a caret below the position of the error. Escaped.
std::string RuleErrorText(const std::string& command, const compare::RuleError& error,
                          const std::string& file);

// Returns the present date in UTC as the number yyyymmdd.
int32_t Today();

// Reads all rules into `rules`. If a rule cannot be parsed, a file cannot be read or a suppression
// has expired, prints an error to stderr and returns false. `today` is a result of Today().
bool ReadRules(const char* command, const std::vector<std::string>& fail_on,
               const std::string& file, int32_t today, compare::RuleSet& rules);

}  // namespace gprofx
