// Suggests commands for further analysis that the user can copy. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/report/text/text.h"

namespace gprofx {

// Returns the command "gprof-x report FILE ARGUMENTS". Returns "" if the file name cannot be typed.
std::string CommandText(const Page& page, const std::string& arguments);

// Returns the command "gprof-x annotate NAME FILE". `name` must be a result of ShellQuoted().
// Returns "" if the file name cannot be typed.
std::string AnnotateCommand(const Page& page, const std::string& name);

// Returns the commands as lines. Empty ones are left out.
std::string HintLines(const std::vector<std::string>& commands);

// Returns the handle of a row, "#3" or "#g3", quoted for a shell. Returns "" if the page does not
// number its rows.
std::string RowHandle(const Page& page, const char* mark, size_t row);

// Returns `name` if it is short enough to read and type. Otherwise returns the handle of row `row`
// (counted from 0), or "" if the row has none.
std::string NameOrRow(const Page& page, const std::string& name, const char* mark, size_t row);

// Returns `text` quoted for a shell. Returns "" if it contains bytes that cannot be pasted.
std::string ShellQuoted(std::string_view text);

}  // namespace gprofx
