#include "formats/exporters/text.h"

#include <array>

namespace gprofx::exporters {
namespace {

constexpr char kReplacement[] = "\xEF\xBF\xBD";
constexpr char kHex[] = "0123456789abcdef";

// True for bytes that need no escape, either in a JSON string or in a line of text.
constexpr bool IsPlain(unsigned char c) { return c >= 0x20 && c < 0x7F && c != '"' && c != '\\'; }

void AppendJsonControl(std::string& out, unsigned char c) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      out += "\\u00";
      out += kHex[c >> 4];
      out += kHex[c & 15];
  }
}

}  // namespace

size_t Utf8Length(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const unsigned first = byte(at);
  if (first < 0x80) return at < text.size() ? 1 : 0;
  const size_t length = first >= 0xC2 && first <= 0xDF   ? 2
                        : first >= 0xE0 && first <= 0xEF ? 3
                        : first >= 0xF0 && first <= 0xF4 ? 4
                                                         : 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) return 0;
  }
  const unsigned second = byte(at + 1);
  const bool bad = (first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
                   (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F);
  return bad ? 0 : length;
}

void AppendJson(std::string& out, std::string_view text) {
  out += '"';
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    while (end < text.size() && IsPlain(static_cast<unsigned char>(text[end]))) ++end;
    out.append(text, at, end - at);
    at = end;
    if (at == text.size()) break;
    const auto c = static_cast<unsigned char>(text[at]);
    if (c < 0x80) {
      AppendJsonControl(out, c);
      ++at;
    } else if (const size_t length = Utf8Length(text, at); length > 0) {
      out.append(text, at, length);
      at += length;
    } else {
      out += kReplacement;
      ++at;
    }
  }
  out += '"';
}

void AppendLineText(std::string& out, std::string_view text, std::string_view also) {
  for (size_t at = 0; at < text.size();) {
    const auto c = static_cast<unsigned char>(text[at]);
    const size_t length = Utf8Length(text, at);
    if (length == 0) {
      out += kReplacement;
      ++at;
      continue;
    }
    const bool harmless = c >= 0x20 && c != 0x7F && c != '\\';
    if (length > 1 || (harmless && also.find(text[at]) == std::string_view::npos)) {
      out.append(text, at, length);
    } else {
      out += "\\x";
      out += kHex[c >> 4];
      out += kHex[c & 15];
    }
    at += length;
  }
}

std::string LineText(std::string_view text, std::string_view also) {
  std::string out;
  AppendLineText(out, text, also);
  return out;
}

void AppendUtf8(std::string& out, std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const size_t length = text[at] == '\0' ? 0 : Utf8Length(text, at);
    out += length == 0 ? std::string_view(kReplacement) : text.substr(at, length);
    at += length == 0 ? 1 : length;
  }
}

void AppendDecimal(std::string& out, int64_t number, int places) {
  static constexpr std::array<uint64_t, 10> kPowers = {
      1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000};
  uint64_t rest = static_cast<uint64_t>(number);
  if (number < 0) {
    out += '-';
    rest = 0 - rest;
  }
  const uint64_t power = kPowers[static_cast<size_t>(places)];
  AppendNumber(out, rest / power);
  uint64_t fraction = rest % power;
  if (fraction == 0) return;
  char digits[10];
  int count = places;
  for (int i = places; i-- > 0; fraction /= 10) digits[i] = static_cast<char>('0' + fraction % 10);
  while (digits[count - 1] == '0') --count;
  out += '.';
  out.append(digits, static_cast<size_t>(count));
}

}  // namespace gprofx::exporters
