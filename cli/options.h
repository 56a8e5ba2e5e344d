// One option table per command: the parser and --help use the same table, so they cannot differ.
//
// Parsing uses Boost.ProgramOptions without guessing: an abbreviated option is an unknown option.
// "--" ends the options. Errors are one line; no Boost exception escapes.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace gprofx {

struct OptionSpec {
  const char* names;              // "json" or "help,h", in the syntax of Boost.ProgramOptions
  const char* value;              // name of the value in the help; nullptr = a switch
  const char* fallback;           // value when no number follows; nullptr = a value must follow
  const char* help;               // one sentence
  const char* choices = nullptr;  // completions, separated by blanks, if `value` lists none
  bool repeats = false;           // may be given several times, see ParsedOptions::lists
};

std::string LongName(const OptionSpec& spec);  // "help"

// Errors that all commands word alike. Options are named as the user writes them: "--limit".
// "option '--limit' needs NEEDED, not 'GIVEN'".
Error BadValue(const std::string& option, const std::string& needed, const std::string& given,
               const std::string& fix = "");
// "options '--json' and '--csv' cannot be combined".
Error CannotCombine(const std::string& option, const std::string& other,
                    const std::string& fix = "leave one of them out");
// "option '--repeat' needs option '--levels'".
Error NeedsOption(const std::string& option, const std::string& other, const std::string& fix = "");

struct ParsedOptions {
  std::map<std::string, std::string>
      values;  // long name -> value, "" for switches; only given options
  std::map<std::string, std::vector<std::string>> lists;  // values of repeatable options
  std::vector<std::string> operands;

  bool Has(const std::string& name) const { return values.count(name) + lists.count(name) != 0; }
};

// `command` appears in messages: "gprof-x report".
Result<ParsedOptions> ParseOptions(std::string_view command, std::span<const OptionSpec> specs,
                                   const std::vector<std::string>& args);

// Returns the index at which the command to run begins: after "--", or at the first word that is
// neither an option nor an option's value.
size_t CommandStart(std::span<const OptionSpec> specs, const std::vector<std::string>& args);

// The help that was asked for: --help lists the options that most people need, --help-all lists
// all. Commands with few options have only --help.
enum class Help { kNone, kCommon, kAll };
Help AskedHelp(const ParsedOptions& parsed);
inline constexpr OptionSpec kHelpAll = {"help-all", nullptr, nullptr, "List all options."};

// Returns "  --name VALUE   help", wrapped to 80 columns. With `which` kCommon, only for options
// whose long names are in `common`, which are separated by blanks, and for --help-all.
std::string OptionHelp(std::span<const OptionSpec> specs, Help which = Help::kAll,
                       std::string_view common = "");

}  // namespace gprofx
