#include "cli/command.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <optional>

#include "cli/terminal/pager.h"
#include "cli/terminal/text.h"

namespace gprofx {

int Fail(const char* command, const Error& error) {
  fprintf(stderr, "%s: %s\n", command, Printable(error.TextWithId()).c_str());
  return 2;
}

Error ErrorOf(const std::exception& exception) {
  if (dynamic_cast<const std::bad_alloc*>(&exception) != nullptr) {
    return {ErrorId::kNoResources, "out of memory"};
  }
  return {ErrorId::kInternal, "internal error: " + std::string(exception.what()),
          "please report it"};
}

int Print(const char* command, const std::string& text, const char* what) {
  const bool written = fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (written && fflush(stdout) == 0) return 0;
  return Fail(command, {ErrorId::kCannotWrite, std::string("cannot write ") + what,
                        "check that the disk of the output is not full"});
}

int PrintPaged(const char* command, const std::string& text, const char* what, bool pager) {
  const auto lines = static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
  const GetEnv env = [](const char* name) -> const char* { return getenv(name); };
  const std::string program =
      pager ? WantsPager(isatty(STDOUT_FILENO) != 0, TerminalRows(STDOUT_FILENO), lines, env) : "";
  if (!program.empty() && ShowInPager(program, text)) return 0;
  return Print(command, text, what);
}

std::string ValueOf(const ParsedOptions& parsed, const char* name) {
  const auto found = parsed.values.find(name);
  return found == parsed.values.end() ? "" : found->second;
}

Result<size_t> ParseCount(const std::string& option, const std::string& text, size_t most) {
  size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (whole && number > 0 && number <= most) return number;
  const std::string range =
      most == SIZE_MAX ? " of 1 or more" : " from 1 to " + std::to_string(most);
  return BadValue(option, "a whole number" + range, text, "for example " + option + " 50");
}

}  // namespace gprofx
