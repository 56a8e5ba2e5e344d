// Recognizes common files of other tools that cannot be read, and says what they are and what to
// do.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace gprofx::importers {

// Returns the error for a file of such a format; no value for any other file. `head` is the first
// bytes of the file. Pure.
std::optional<Error> UnreadFormat(const std::string& path, std::string_view head);

}  // namespace gprofx::importers
