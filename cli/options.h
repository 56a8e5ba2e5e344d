// One option table per command: it is what the parser accepts and what --help prints, so the two
// cannot differ.
//
// Parsing is Boost.ProgramOptions without guessing: an abbreviated option is an unknown option.
// "--" ends the options. Errors are one line; Boost's exceptions stop here.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace gprofx {

struct OptionSpec {
  const char* names;              // "json" or "help,h" as Boost.ProgramOptions has it
  const char* value;              // name of the value in the help, nullptr = a switch
  const char* fallback;           // value when no number follows; nullptr = a value must follow
  const char* help;               // one sentence
  const char* choices = nullptr;  // to complete, separated by blanks, where `value` lists none
  bool repeats = false;           // it may be given several times: ParsedOptions::lists has them
};

struct ParsedOptions {
  std::map<std::string, std::string>
      values;  // long name -> value, "" for switches; only what was given
  std::map<std::string, std::vector<std::string>> lists;  // of those that repeat
  std::vector<std::string> operands;

  bool Has(const std::string& name) const { return values.count(name) + lists.count(name) != 0; }
};

// `command` is used in messages: "gprof-x report".
Result<ParsedOptions> ParseOptions(std::string_view command, std::span<const OptionSpec> specs,
                                   const std::vector<std::string>& args);

// Where a command begins that is run: behind "--", or at the first word that is neither an option
// nor its value.
size_t CommandStart(std::span<const OptionSpec> specs, const std::vector<std::string>& args);

// "  --name VALUE   help", wrapped to 80 columns.
std::string OptionHelp(std::span<const OptionSpec> specs);

}  // namespace gprofx
