// Errors of JSON files that cannot be read to their end.
#pragma once

#include <optional>
#include <string>

#include "core/base/result.h"
#include "formats/importers/json/json_characters.h"

namespace gprofx::importers {

// Returns why parsing ended early; nullopt if it did not. `whole`: the parser's result.
std::optional<Error> JsonErrorOf(const ByteSource& source, JsonCharacters& characters,
                                 const std::string& path, bool whole);

}  // namespace gprofx::importers
