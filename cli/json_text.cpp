#include "cli/json_text.h"

#include "cli/terminal/text.h"

namespace gprofx {

std::string Utf8(std::string_view text) {
  std::string out;
  for (size_t pos = 0; pos < text.size();) {
    const size_t start = pos;
    if (DecodeUtf8(text, pos)) {
      out += text.substr(start, pos - start);
    } else {
      out += "\xEF\xBF\xBD";
    }
  }
  return out;
}

}  // namespace gprofx
