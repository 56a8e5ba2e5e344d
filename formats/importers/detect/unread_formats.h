// Files of other tools that are often met and cannot be read: what they are, and what to do.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace gprofx::importers {

// `head`: the first bytes of the file. Returns nullopt if they are of no such file. Pure.
std::optional<Error> UnreadFormat(const std::string& path, std::string_view head);

}  // namespace gprofx::importers
