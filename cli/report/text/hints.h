// Suggests commands for further analysis that the user can copy. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/report/text/text.h"

namespace gprofx {

// Returns the command "gprof-x report FILE ARGUMENTS"; "" if the file name cannot be typed.
std::string CommandText(const Page& page, const std::string& arguments);

// Returns the command "gprof-x annotate NAME FILE"; `name` must be ShellQuoted(). "" if the file
// name cannot be typed.
std::string AnnotateCommand(const Page& page, const std::string& name);

// Returns the commands, one per line, without empty ones.
std::string HintLines(const std::vector<std::string>& commands);

// Returns the handle of a row, "#3" or "#g3", quoted for a shell. "" if the page does not number
// its rows.
std::string RowHandle(const Page& page, const char* mark, size_t row);

// Returns `name` if it is short enough to read and type. Otherwise, returns the handle of row `row`
// (from 0), or "" if it has none.
std::string NameOrRow(const Page& page, const std::string& name, const char* mark, size_t row);

// Returns `text` quoted for a shell; "" if it contains bytes that cannot be pasted.
std::string ShellQuoted(std::string_view text);

}  // namespace gprofx
