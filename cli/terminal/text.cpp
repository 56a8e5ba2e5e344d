#include "cli/terminal/text.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace gprofx {
namespace {

struct Range {
  char32_t first, last;
};

// Characters that take no column: the marks of the scripts that occur in names. Sorted.
constexpr Range kZeroWidth[] = {
    {0x0300, 0x036F},  {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x0610, 0x061A}, {0x064B, 0x065F},
    {0x06D6, 0x06DC},  {0x0900, 0x0902}, {0x093A, 0x093A}, {0x0941, 0x0948}, {0x0E31, 0x0E31},
    {0x0E34, 0x0E3A},  {0x0E47, 0x0E4E}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x200B, 0x200D},
    {0x20D0, 0x20F0},  {0x302A, 0x302D}, {0x3099, 0x309A}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F},
    {0xE0100, 0xE01EF}};

// Characters that take two columns: East Asian wide and fullwidth characters, and emoji. Sorted.
constexpr Range kWide[] = {
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x2329, 0x232A},   {0x23E9, 0x23EC},
    {0x23F0, 0x23F0},   {0x23F3, 0x23F3},   {0x25FD, 0x25FE},   {0x2614, 0x2615},
    {0x2648, 0x2653},   {0x267F, 0x267F},   {0x2693, 0x2693},   {0x26A1, 0x26A1},
    {0x26AA, 0x26AB},   {0x26BD, 0x26BE},   {0x26C4, 0x26C5},   {0x26CE, 0x26CE},
    {0x26D4, 0x26D4},   {0x26EA, 0x26EA},   {0x26F2, 0x26F3},   {0x26F5, 0x26F5},
    {0x26FA, 0x26FA},   {0x26FD, 0x26FD},   {0x2705, 0x2705},   {0x270A, 0x270B},
    {0x2728, 0x2728},   {0x274C, 0x274C},   {0x274E, 0x274E},   {0x2753, 0x2755},
    {0x2757, 0x2757},   {0x2795, 0x2797},   {0x27B0, 0x27B0},   {0x27BF, 0x27BF},
    {0x2B1B, 0x2B1C},   {0x2B50, 0x2B50},   {0x2B55, 0x2B55},   {0x2E80, 0x303E},
    {0x3041, 0x33FF},   {0x3400, 0x4DBF},   {0x4E00, 0xA4CF},   {0xA960, 0xA97F},
    {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},
    {0xFFE0, 0xFFE6},   {0x16FE0, 0x18CFF}, {0x1B000, 0x1B2FF}, {0x1F004, 0x1F004},
    {0x1F0CF, 0x1F0CF}, {0x1F18E, 0x1F18E}, {0x1F191, 0x1F19A}, {0x1F200, 0x1F265},
    {0x1F300, 0x1F320}, {0x1F32D, 0x1F335}, {0x1F337, 0x1F37C}, {0x1F37E, 0x1F393},
    {0x1F3A0, 0x1F3CA}, {0x1F3CF, 0x1F3D3}, {0x1F3E0, 0x1F3F0}, {0x1F3F4, 0x1F3F4},
    {0x1F3F8, 0x1F43E}, {0x1F440, 0x1F440}, {0x1F442, 0x1F4FC}, {0x1F4FF, 0x1F53D},
    {0x1F54B, 0x1F54E}, {0x1F550, 0x1F567}, {0x1F57A, 0x1F57A}, {0x1F595, 0x1F596},
    {0x1F5A4, 0x1F5A4}, {0x1F5FB, 0x1F64F}, {0x1F680, 0x1F6C5}, {0x1F6CC, 0x1F6CC},
    {0x1F6D0, 0x1F6D2}, {0x1F6D5, 0x1F6D7}, {0x1F6DD, 0x1F6DF}, {0x1F6EB, 0x1F6EC},
    {0x1F6F4, 0x1F6FC}, {0x1F7E0, 0x1F7EB}, {0x1F7F0, 0x1F7F0}, {0x1F90C, 0x1F93A},
    {0x1F93C, 0x1F945}, {0x1F947, 0x1F9FF}, {0x1FA70, 0x1FAFF}, {0x20000, 0x3FFFD}};

template <size_t n>
bool IsInTable(const Range (&table)[n], char32_t c) {
  const Range* found =
      std::upper_bound(std::begin(table), std::end(table), c,
                       [](char32_t value, const Range& range) { return value < range.first; });
  return found != std::begin(table) && c <= std::prev(found)->last;
}

void AppendHex(std::string& out, std::string_view bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  for (unsigned char byte : bytes) {
    out += "\\x";
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
}

}  // namespace

std::optional<char32_t> DecodeUtf8(std::string_view text, size_t& pos) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(pos);
  const size_t start = pos++;
  if (lead < 0x80) return lead;
  const size_t length = lead >= 0xC2 && lead <= 0xDF   ? 2
                        : lead >= 0xE0 && lead <= 0xEF ? 3
                        : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                       : 0;
  if (length == 0 || text.size() - start < length) return std::nullopt;
  char32_t code = lead & (0xFF >> (length + 1));
  for (size_t i = start + 1; i < start + length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return std::nullopt;
    code = (code << 6) | (byte(i) & 0x3F);
  }
  static constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kSmallest[length] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) {
    return std::nullopt;
  }
  pos = start + length;
  return code;
}

bool IsUnsafe(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c <= 0x9F) || c == 0x061C || c == 0x200E || c == 0x200F ||
         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF ||
         (c >= 0xE0000 && c <= 0xE007F);
}

std::string Printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t pos = 0; pos < text.size();) {
    const size_t start = pos;
    const std::optional<char32_t> code = DecodeUtf8(text, pos);
    const std::string_view bytes = text.substr(start, pos - start);
    if (code && !IsUnsafe(*code)) {
      out += bytes;
    } else {
      AppendHex(out, bytes);
    }
  }
  return out;
}

int CodePointColumns(char32_t code_point) {
  if (code_point < 0x300) return 1;
  if (IsInTable(kZeroWidth, code_point)) return 0;
  return IsInTable(kWide, code_point) ? 2 : 1;
}

int Columns(std::string_view text) {
  int columns = 0;
  for (size_t pos = 0; pos < text.size();) {
    if (text[pos] == '\x1b') {  // a color of gprof-x; Printable() text contains no other escapes
      const size_t end = text.find('m', pos);
      pos = end == std::string_view::npos ? text.size() : end + 1;
      continue;
    }
    columns += CodePointColumns(DecodeUtf8(text, pos).value_or(U'?'));
  }
  return columns;
}

std::string FitEnd(std::string_view text, int columns) {
  if (Columns(text) <= columns) return std::string(text);
  if (columns <= 2) return std::string(static_cast<size_t>(std::max(columns, 0)), '.');
  int used = 0;
  size_t end = 0;
  for (size_t pos = 0; pos < text.size();) {
    const int width = CodePointColumns(DecodeUtf8(text, pos).value_or(U'?'));
    if (used + width > columns - 2) break;
    used += width;
    end = pos;
  }
  return std::string(text.substr(0, end)) + "..";
}

std::string AtRight(const std::string& text, int columns) {
  const auto blanks = static_cast<size_t>(std::max(0, columns - static_cast<int>(text.size())));
  return std::string(blanks, ' ') + text;
}

std::string FitStart(std::string_view text, int columns) {
  const int width = Columns(text);
  if (width <= columns) return std::string(text);
  if (columns <= 2) return std::string(static_cast<size_t>(std::max(columns, 0)), '.');
  int left = width;
  size_t pos = 0;
  while (pos < text.size() && left > columns - 2) {
    left -= CodePointColumns(DecodeUtf8(text, pos).value_or(U'?'));
  }
  return ".." + std::string(text.substr(pos));
}

std::string FitMiddle(std::string_view text, int columns) {
  if (Columns(text) <= columns) return std::string(text);
  const int tail = columns / 3;
  if (tail < 4) return FitEnd(text, columns);
  std::string head = FitEnd(text, columns - tail + 2);
  head.resize(head.size() - 2);  // removes the dots of FitEnd(), because FitStart() adds dots, too
  return head + FitStart(text, tail);
}

std::string FitDotted(std::string_view text, int columns) {
  if (Columns(text) <= columns) return std::string(text);
  for (size_t dot = text.find('.'); dot != std::string_view::npos; dot = text.find('.', dot + 1)) {
    const std::string_view rest = text.substr(dot + 1);
    if (!rest.empty() && Columns(rest) + 2 <= columns) return ".." + std::string(rest);
  }
  return FitStart(text, columns);
}

std::string_view PlaceIn(std::string_view text) {
  // The line number is the first ":123" after which there is a blank or the end of the text.
  for (size_t colon = text.find(':'); colon != std::string_view::npos;
       colon = text.find(':', colon + 1)) {
    size_t end = colon + 1;
    while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
    if (end != colon + 1 && (end == text.size() || text[end] == ' ')) return text.substr(0, end);
  }
  return "";
}

std::string FitPlace(std::string_view text, int columns) {
  if (Columns(text) <= columns) return std::string(text);
  const std::string_view place = PlaceIn(text);
  if (place.empty()) return FitEnd(text, columns);
  constexpr int kMinOfFunction = 5;  // minimum columns for the function, such as " ab.."
  const int room = columns - Columns(place);
  if (room >= kMinOfFunction) return FitEnd(text, columns);
  return room >= 0 ? std::string(place) : FitStart(place, columns);
}

std::string WrapParts(const std::string* parts, size_t count, std::string_view gap, int columns,
                      int indent) {
  std::string out;
  int used = 0;
  for (size_t i = 0; i < count; ++i) {
    const int width = Columns(parts[i]);
    const int gap_width = static_cast<int>(gap.size());
    if (i != 0 && used + gap_width + width > columns) {
      out += '\n';
      out.append(static_cast<size_t>(indent), ' ');
      used = indent;
    } else if (i != 0) {
      out += gap;
      used += gap_width;
    }
    out += parts[i];
    used += width;
  }
  return out;
}

}  // namespace gprofx
