#include "cli/json_text.h"

#include <cmath>

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

Json FiniteJson(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json TextsJson(std::span<const std::string> texts) {
  Json list = Json::array();
  for (const std::string& text : texts) list.push_back(Utf8(text));
  return list;
}

}  // namespace gprofx
