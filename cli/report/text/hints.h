// Suggests commands for further analysis, ready to paste.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/report/text/text.h"

namespace gprofx {

// Returns "gprof-x report FILE ARGUMENTS"; "" if the file name cannot be typed.
std::string CommandText(const Page& page, const std::string& arguments);

// Like CommandText, for "gprof-x annotate NAME FILE"; `name` is ShellQuoted().
std::string AnnotateCommand(const Page& page, const std::string& name);

// Returns one command per line; skips empty ones.
std::string HintLines(const std::vector<std::string>& commands);

// Returns "#3" or "#g3", quoted for a shell, if the page numbers its rows; else "".
std::string RowHandle(const Page& page, const char* mark, size_t row);

// Returns `name` if it is short enough to read and type, else the handle of row `row` (from 0); ""
// if neither is possible.
std::string NameOrRow(const Page& page, const std::string& name, const char* mark, size_t row);

// Returns `text` quoted for a shell; "" if it contains bytes that cannot be pasted.
std::string ShellQuoted(std::string_view text);

}  // namespace gprofx
