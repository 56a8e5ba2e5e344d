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

// `text` quoted for a shell; "" when it holds bytes that cannot be pasted.
std::string ShellQuoted(std::string_view text);

}  // namespace gprofx
