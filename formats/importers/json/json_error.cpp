#include "formats/importers/json/json_error.h"

namespace gprofx::importers {

std::optional<Error> JsonErrorOf(const ByteSource& source, JsonCharacters& characters,
                                 const std::string& path, bool whole, size_t failed_at) {
  if (!source.status()) return source.status().error();
  if (characters.is_too_long()) {
    return Error{"'" + path + "' holds a text of more than 16 MB",
                 "no trace does; do not trust it"};
  }
  if (whole) return std::nullopt;
  if (characters.AtEnd()) {
    return Error{"'" + path + "' is cut off: its JSON has no end",
                 "copy it again, or let the program write it to its end"};
  }
  return Error{"'" + path + "' is damaged: no JSON at byte " + std::to_string(failed_at),
               "export it again"};
}

}  // namespace gprofx::importers
