// Helpers for commands that read a profile: errors, output and the parsing of option values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>

#include "cli/options.h"
#include "core/base/result.h"

namespace gprofx {

// Prints the error as one line to stderr and returns exit status 2. `command` is the name of the
// command, such as "gprof-x report".
int Fail(const char* command, const Error& error);

// Returns the error to report for a command that ended by an exception, usually because memory ran
// out.
Error ErrorOf(const std::exception& exception);

// Writes `text` to stdout and returns exit status 0. If that fails, returns the result of Fail().
// `what` names the text in the error, such as "the report".
int Print(const char* command, const std::string& text, const char* what);

// Like Print(), but uses a pager if `pager` is set, stdout is a terminal, and the text does not fit
// on it.
int PrintPaged(const char* command, const std::string& text, const char* what, bool pager);

// Returns the value of an option; "" if it was not given.
std::string ValueOf(const ParsedOptions& parsed, const char* name);

// Parses a number from 1 to `most`. `option` is the name of the option in an error, such as
// "--limit".
Result<size_t> ParseCount(const std::string& option, const std::string& text,
                          size_t most = SIZE_MAX);

}  // namespace gprofx
