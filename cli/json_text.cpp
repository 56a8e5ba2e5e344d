#include "cli/json_text.h"

#include <cmath>
#include <optional>

#include "cli/terminal/text.h"
#include "core/base/format.h"

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

std::string PrintedJson(const Json& json, int indent) {
  const std::string text = json.dump(indent, ' ', false, Json::error_handler_t::replace);
  std::string out;
  out.reserve(text.size() + 1);
  for (size_t pos = 0; pos < text.size();) {
    const size_t start = pos;
    const std::optional<char32_t> code = DecodeUtf8(text, pos);
    // Copy this character. In strings, control characters below 0x7f are already escaped. Outside
    // of strings, they are the line ends of the layout.
    if (!code || *code < 0x7f || !IsUnsafe(*code)) {
      out.append(text, start, pos - start);
      continue;
    }
    const auto escape = [&](unsigned unit) { out += Format("\\u%04x", unit & 0xffff); };
    if (*code > 0xffff) {
      escape(0xd800 + ((*code - 0x10000) >> 10));
      escape(0xdc00 + ((*code - 0x10000) & 0x3ff));
    } else {
      escape(*code);
    }
  }
  return out + "\n";
}

Json TextsJson(std::span<const std::string> texts) {
  Json list = Json::array();
  for (const std::string& text : texts) list.push_back(Utf8(text));
  return list;
}

}  // namespace gprofx
