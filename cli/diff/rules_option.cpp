#include "cli/diff/rules_option.h"

#include <time.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>

#include "cli/command.h"
#include "cli/errors/catalogue.h"
#include "cli/terminal/text.h"
#include "core/base/file_io.h"
#include "core/base/result.h"

namespace gprofx {
namespace {

using compare::RuleError;
using compare::RuleSet;

constexpr size_t kLargestFile = 1 << 20;
constexpr int kBesideCaret = 60;  // columns of the rule on each side of the error

Result<std::string> ReadRulesText(const std::string& path) {
  std::optional<std::string> text = ReadRegularFile(path, kLargestFile + 1);
  if (!text) {
    const char* why = errno == EINVAL ? "it is not a regular file" : strerror(errno);
    return Error{ErrorId::kCannotRead, "cannot read the rules in '" + path + "': " + why,
                 "name a file with rules"};
  }
  if (text->size() > kLargestFile) {
    return Error{ErrorId::kTooLarge, "'" + path + "' is larger than 1 MiB",
                 "check that it is a file of rules"};
  }
  return std::move(*text);
}

bool Say(const char* command, const std::optional<RuleError>& error, const std::string& file) {
  if (!error) return false;
  fputs(RuleErrorText(command, *error, file).c_str(), stderr);
  return true;
}

}  // namespace

std::string RuleErrorText(const std::string& command, const RuleError& error,
                          const std::string& file) {
  std::string where = "error in this rule";
  if (error.line != 0) where = "error in line " + std::to_string(error.line) + " of '" + file + "'";
  const std::string before = Printable(error.text.substr(0, error.place));
  const std::string shown = FitStart(before, kBesideCaret);
  const std::string after = FitEnd(Printable(error.text.substr(error.place)), kBesideCaret);
  const std::string line = Error(ErrorId::kBadRule, where + ": " + error.what).TextWithId();
  return command + ": " + Printable(line) + "\n  " + shown + after + "\n  " +
         std::string(static_cast<size_t>(Columns(shown)), ' ') + "^\n";
}

int32_t Today() {
  const time_t now = time(nullptr);
  tm day{};
  gmtime_r(&now, &day);
  return (day.tm_year + 1900) * 10000 + (day.tm_mon + 1) * 100 + day.tm_mday;
}

bool ReadRules(const char* command, const std::vector<std::string>& fail_on,
               const std::string& file, int32_t today, RuleSet& rules) {
  for (const std::string& rule : fail_on) {
    if (Say(command, compare::AddRule(rule, rules), "")) return false;
  }
  if (file.empty()) return true;
  const Result<std::string> text = ReadRulesText(file);
  if (!text) {
    Fail(command, text.error());
    return false;
  }
  if (Say(command, compare::AddRulesOf(*text, rules), file)) return false;
  const compare::Suppression* expired = compare::ExpiredOn(today, rules.suppressions);
  if (expired == nullptr) return true;
  Fail(command,
       {ErrorId::kSuppressionExpired,
        "the suppression of '" + FitEnd(Printable(expired->what), 60) + "' in line " +
            std::to_string(expired->line) + " of " + file + " ended on " +
            compare::DateText(expired->until),
        "set a new date or remove it; its owner is " + FitEnd(Printable(expired->owner), 40)});
  return false;
}

}  // namespace gprofx
