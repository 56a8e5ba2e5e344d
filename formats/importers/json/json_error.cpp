#include "formats/importers/json/json_error.h"

namespace gprofx::importers {

std::optional<Error> JsonErrorOf(const ByteSource& source, JsonCharacters& characters,
                                 const std::string& path, bool whole) {
  if (!source.status()) return source.status().error();
  if (characters.is_too_long()) {
    return Error{ErrorId::kHostileFile, "'" + path + "' has a string of more than 16 MB",
                 "do not trust this file: no trace has such strings"};
  }
  if (whole) return std::nullopt;
  if (characters.AtEnd()) {
    return Error{ErrorId::kTruncated, "'" + path + "' is truncated: its JSON has no end",
                 "copy it again, or wait until the program has written all"};
  }
  return Error{
      ErrorId::kDamaged,
      "'" + path + "' is damaged: invalid JSON at byte " + std::to_string(characters.position()),
      "export it again"};
}

}  // namespace gprofx::importers
