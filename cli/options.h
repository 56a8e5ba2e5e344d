// Parses options. Each command has one table of options, which both the parser and --help use; they
// cannot differ.
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
  // Name of the value in the help; nullptr = the option has no value.
  const char* value;
  const char* fallback;           // value if no number follows; nullptr = a value must follow
  const char* help;               // one sentence
  const char* choices = nullptr;  // completions, separated by blanks, if `value` lists none
  bool repeats = false;           // may be given several times, see ParsedOptions::lists
};

std::string LongName(const OptionSpec& spec);  // "help"

// Errors that have the same text in all commands. Name options as the user writes them: "--limit".
// Returns "option '--limit' needs NEEDED, not 'GIVEN'".
Error BadValue(const std::string& option, const std::string& needed, const std::string& given,
               const std::string& fix = "");
// Returns "options '--json' and '--csv' cannot be combined".
Error CannotCombine(const std::string& option, const std::string& other,
                    const std::string& fix = "leave one of them out");
// Returns "option '--repeat' needs option '--levels'".
Error NeedsOption(const std::string& option, const std::string& other, const std::string& fix = "");

struct ParsedOptions {
  std::map<std::string, std::string>
      values;  // long name -> value, "" for switches; only given options
  std::map<std::string, std::vector<std::string>> lists;  // values of options that may be repeated
  std::vector<std::string> operands;

  bool Has(const std::string& name) const { return values.count(name) + lists.count(name) != 0; }
};

// Parses `args`. `command` is the command's name in errors: "gprof-x report".
Result<ParsedOptions> ParseOptions(std::string_view command, std::span<const OptionSpec> specs,
                                   const std::vector<std::string>& args);

// Returns the index in `args` at which the command to run begins: after "--", or at the first word
// that is neither an option nor the value of an option.
size_t CommandStart(std::span<const OptionSpec> specs, const std::vector<std::string>& args);

// Which help was requested. --help lists the options that most people need, and --help-all lists
// all. Commands with few options have only --help.
enum class Help { kNone, kCommon, kAll };
Help AskedHelp(const ParsedOptions& parsed);
inline constexpr OptionSpec kHelpAll = {"help-all", nullptr, nullptr, "List all options."};

// Returns the help of options, such as "  --name VALUE   help", wrapped to 80 columns. If `which`
// is kCommon, includes only --help-all and the options whose long names are in `common` (separated
// by blanks).
std::string OptionHelp(std::span<const OptionSpec> specs, Help which = Help::kAll,
                       std::string_view common = "");

}  // namespace gprofx
