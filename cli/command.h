// What the commands that read a profile share: their errors, their output, the values of their
// options.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "cli/options.h"
#include "cli/terminal/screen.h"
#include "core/base/result.h"

namespace gprofx {

// One line on stderr; the exit status 2. `command` is "gprof-x report".
int Fail(const char* command, const Error& error);

// Writes `text` to stdout: exit status 0, or Fail(). `what` names it: "the report".
int Print(const char* command, const std::string& text, const char* what);

// The same, through a pager where stdout is a terminal that is too short for it and `pager` is set.
int PrintPaged(const char* command, const std::string& text, const char* what, bool pager);

inline constexpr char kColorChoices[] = "auto always never";  // of --color, for completion

// Of an option with a value; "" where it was not given.
std::string ValueOf(const ParsedOptions& parsed, const char* name);

// A number from 1 to `most`. `option` is "--limit".
Result<size_t> ParseCount(const std::string& option, const std::string& text,
                          size_t most = SIZE_MAX);

// --color; kAuto where it was not given.
Result<ColorWhen> ParseColor(const ParsedOptions& parsed);

}  // namespace gprofx
