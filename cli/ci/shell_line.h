// Words behind a line for the shell. Pure.
#pragma once

#include <optional>
#include <string>

namespace gprofx {

// The line with "$@" at its end, for `sh -c LINE sh WORD...`; a line that says $@ itself stays as
// it is. Nothing where its end would swallow the words or make them a command of their own: a
// comment, an operator such as ; or &, a backslash, an open quote, a here-document. Quotes inside
// of "$(...)" are not followed, which refuses some lines that would do.
std::optional<std::string> WithWords(std::string line);

}  // namespace gprofx
