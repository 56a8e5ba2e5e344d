// Appends words to a shell command line. Pure.
#pragma once

#include <optional>
#include <string>

namespace gprofx {

// Returns the line with "$@" appended, for `sh -c LINE sh WORD...`. A line that already contains $@
// is returned unchanged.
//
// Returns nullopt if the words would not become arguments because of how the line ends: in a
// comment, an operator such as ; or &, a backslash, an open quote, or a here-document. Quotes
// inside "$(...)" are not parsed, so some valid lines are refused, too.
std::optional<std::string> WithWords(std::string line);

}  // namespace gprofx
