#include "cli/report/html/document.h"

#include <zlib.h>

#include <cstdint>

#include "cli/report/html/assets.h"

namespace gprofx {
namespace {

// Compresses `bytes` to zlib's format, which browsers call "deflate". Returns "" only if there is
// not enough memory.
std::string Deflate(const std::string& bytes) {
  constexpr int kLevel = 6;
  uLongf size = compressBound(bytes.size());
  std::string out(size, '\0');
  const int done = compress2(reinterpret_cast<Bytef*>(out.data()), &size,
                             reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), kLevel);
  out.resize(done == Z_OK ? size : 0);
  return out;
}

std::string Base64(const std::string& bytes) {
  static constexpr char kDigits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const auto at = [&](size_t k) {
      return i + k < bytes.size() ? uint32_t{static_cast<unsigned char>(bytes[i + k])} : 0u;
    };
    const uint32_t group = at(0) << 16 | at(1) << 8 | at(2);
    for (int k = 0; k < 4; ++k) out += kDigits[group >> (18 - 6 * k) & 63];
  }
  const size_t missing = (3 - bytes.size() % 3) % 3;
  out.replace(out.size() - missing, missing, missing, '=');
  return out;
}

// Returns the data in the form that data.js expects. That is the length of the JSON as four bytes
// (little endian), the JSON, and the columns.
std::string Joined(const PageData& data) {
  std::string out;
  out.reserve(4 + data.json.size() + data.columns.size());
  for (int i = 0; i < 4; ++i) out += static_cast<char>(data.json.size() >> (8 * i) & 255);
  return out.append(data.json).append(data.columns);
}

std::string Packed(const PageData& data) { return Base64(Deflate(Joined(data))); }

}  // namespace

std::string DataElement(std::string_view id, const PageData& data) {
  return "<script id=\"" + std::string(id) + "\" type=\"application/octet-stream\">" +
         Packed(data) + "</script>\n";
}

std::string MakeDocument(std::string_view body, std::string_view script, const PageData& contents) {
  const std::string data = Packed(contents);
  std::string out;
  out.reserve(kPageFrame.size() + kPageStyle.size() + body.size() + kSharedScript.size() +
              script.size() + data.size());
  std::string_view rest = kPageFrame;
  const auto fill = [&](std::string_view place, std::string_view text, std::string_view more = "") {
    const size_t at = rest.find(place);
    out.append(rest.substr(0, at)).append(text).append(more);
    rest.remove_prefix(at + place.size());
  };
  fill("@STYLE@", kPageStyle);
  fill("@BODY@", body);
  fill("@DATA@", data);
  fill("@SCRIPT@", kSharedScript, script);
  return out.append(rest);
}

}  // namespace gprofx
