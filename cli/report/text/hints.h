// Commands to go on with, ready to paste.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/report/text/text.h"

namespace gprofx {

// "gprof-x report FILE ARGUMENTS"; "" when the file's name cannot be typed.
std::string CommandText(const Page& page, const std::string& arguments);

// "gprof-x annotate NAME FILE" in the same way; `name` is ShellQuoted().
std::string AnnotateCommand(const Page& page, const std::string& name);

// One per line; empty ones are left out.
std::string HintLines(const std::vector<std::string>& commands);

// "#3" or "#g3" for a shell, where the rows of the page have numbers; else "".
std::string RowHandle(const Page& page, const char* mark, size_t row);

// `name` where it is short enough to be read and typed, else the handle of the row (from 0); ""
// where neither works.
std::string NameOrRow(const Page& page, const std::string& name, const char* mark, size_t row);

// `text` quoted for a shell; "" when it holds bytes that cannot be pasted.
std::string ShellQuoted(std::string_view text);

}  // namespace gprofx
