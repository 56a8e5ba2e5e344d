// Parses options. Each command has one table of options, which both the parser and --help use, so
// they cannot differ.
//
// Uses Boost.ProgramOptions, but an abbreviated option is an unknown option. "--" ends the options.
// Errors are one line; no Boost exception leaves this file.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace gprofx {

struct OptionSpec {
  const char* names;  // "json" or "help,h", in the syntax of Boost.ProgramOptions
  // Name of the value in the help; nullptr if the option has no value.
  const char* value;
  const char* fallback;  // value if no number follows; nullptr if a value must follow
  const char* help;      // one sentence
  // Values for completion, separated by blanks, if `value` lists none.
  const char* choices = nullptr;
  bool repeats = false;  // may be given several times; its values are in ParsedOptions::lists
};

std::string LongName(const OptionSpec& spec);  // such as "help"
// Returns the option with this long name, such as "help"; nullptr if there is none.
const OptionSpec* FindOption(std::span<const OptionSpec> specs, std::string_view long_name);

// The following errors have the same text in all commands. They name options as the user writes
// them: "--limit". This one is "option '--limit' needs NEEDED, not 'GIVEN'".
Error BadValue(const std::string& option, const std::string& needed, const std::string& given,
               const std::string& fix = "");
// Returns "options '--json' and '--csv' cannot be combined".
Error CannotCombine(const std::string& option, const std::string& other,
                    const std::string& fix = "leave one of them out");
// Returns "option '--repeat' needs option '--levels'".
Error NeedsOption(const std::string& option, const std::string& other, const std::string& fix = "");

struct ParsedOptions {
  std::map<std::string, std::string>
      values;  // by long name; "" for options without a value; only given options
  std::map<std::string, std::vector<std::string>> lists;  // values of options that may be repeated
  std::vector<std::string> operands;

  bool Has(const std::string& name) const { return values.count(name) + lists.count(name) != 0; }
};

// Parses `args`. `command` is the name of the command in errors, such as "gprof-x report".
Result<ParsedOptions> ParseOptions(std::string_view command, std::span<const OptionSpec> specs,
                                   const std::vector<std::string>& args);

// Returns the index in `args` at which the command to run begins: after "--", or at the first word
// that is neither an option nor the value of an option.
size_t CommandStart(std::span<const OptionSpec> specs, const std::vector<std::string>& args);

// The kind of help that the user requested. --help lists the options that most people need, and
// --help-all lists all. Commands with few options have only --help.
enum class Help { kNone, kCommon, kAll };
Help AskedHelp(const ParsedOptions& parsed);

// Returns the help of options, one entry per option, such as "  --name VALUE   help", wrapped to 80
// columns. If `which` is kCommon, includes only --help-all and the options whose long names are in
// `common` (separated by blanks).
std::string OptionHelp(std::span<const OptionSpec> specs, Help which = Help::kAll,
                       std::string_view common = "");

}  // namespace gprofx
