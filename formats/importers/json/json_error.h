// Says why a JSON file could not be read to its end.
#pragma once

#include <optional>
#include <string>

#include "core/base/result.h"
#include "formats/importers/json/json_characters.h"

namespace gprofx::importers {

// Returns the error that stopped parsing early; nullopt if there was none. `whole` is the result of
// the parser: true if it parsed the whole file.
std::optional<Error> JsonErrorOf(const ByteSource& source, JsonCharacters& characters,
                                 const std::string& path, bool whole);

}  // namespace gprofx::importers
