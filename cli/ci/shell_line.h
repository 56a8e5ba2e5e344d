// Appends words to a shell command line. Pure.
#pragma once

#include <optional>
#include <string>

namespace gprofx {

// Returns the line with "$@" appended, for `sh -c LINE sh WORD...`. A line that already contains $@
// is unchanged. Returns nothing if the end of the line would swallow the words or make them a
// separate command: a comment, an operator such as ; or &, a backslash, an open quote, a
// here-document. Quotes inside "$(...)" are not parsed, so some valid lines are refused.
std::optional<std::string> WithWords(std::string line);

}  // namespace gprofx
