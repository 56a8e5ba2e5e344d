#include "formats/importers/json/json_tokens.h"

#include <algorithm>
#include <array>

namespace gprofx::importers {
namespace {

constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// A set of characters. It is a lookup table because it must be fast: a trace has billions of
// characters.
class CharacterSet {
 public:
  constexpr explicit CharacterSet(std::string_view characters) {
    for (const char c : characters) has_[static_cast<unsigned char>(c)] = true;
  }
  constexpr bool Has(char c) const { return has_[static_cast<unsigned char>(c)]; }
  // Returns how many characters at the front of `text` are in the set.
  size_t RunOf(std::string_view text) const { return Run(text, true); }
  size_t RunOfOthers(std::string_view text) const { return Run(text, false); }

 private:
  size_t Run(std::string_view text, bool is_inside) const {
    size_t length = 0;
    while (length < text.size() && Has(text[length]) == is_inside) ++length;
    return length;
  }
  std::array<bool, 256> has_ = {};
};

constexpr CharacterSet kBlanks(" \n\t\r"), kEndsOfRuns("\"\\"), kDigits("0123456789"),
    kOfNumbers("0123456789.-+eE");

size_t SkipDigits(std::string_view& text) {
  const size_t digits = kDigits.RunOf(text);
  text.remove_prefix(digits);
  return digits;
}

bool IsNumber(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  const bool begins_with_zero = text.starts_with('0');
  const size_t digits = SkipDigits(text);
  if (digits == 0 || (begins_with_zero && digits > 1)) return false;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (SkipDigits(text) == 0) return false;
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
    if (SkipDigits(text) == 0) return false;
  }
  return text.empty();
}

void AppendUtf8(uint32_t point, std::string& out) {
  const auto add = [&](uint32_t byte) { out += static_cast<char>(byte); };
  const auto rest = [&](int shift) { add(0x80 | ((point >> shift) & 0x3f)); };
  if (point < 0x80) return add(point);
  if (point < 0x800) return add(0xc0 | (point >> 6)), rest(0);
  if (point < 0x10000) return add(0xe0 | (point >> 12)), rest(6), rest(0);
  add(0xf0 | (point >> 18)), rest(12), rest(6), rest(0);
}

}  // namespace

// Skips blanks. Returns false at the end of the file.
bool JsonTokens::SkipBlanks() {
  while (!characters_.AtEnd()) {
    const std::string_view rest = characters_.Rest();
    const size_t blanks = kBlanks.RunOf(rest);
    characters_.Advance(blanks);
    if (blanks < rest.size()) return true;
  }
  return false;
}

bool JsonTokens::SkipByteOrderMark() {
  for (const char expected : std::string_view("\xef\xbb\xbf")) {
    if (characters_.AtEnd() || characters_.Get() != expected) return false;
    characters_.Advance(1);
  }
  return true;
}

JsonToken JsonTokens::Next() {
  if (!is_started_ && !characters_.AtEnd() && characters_.Get() == '\xef' && !SkipByteOrderMark())
    return JsonToken::kBad;
  is_started_ = true;
  if (!SkipBlanks()) return JsonToken::kEnd;
  const char first = characters_.Get();
  if (first == '-' || IsDigit(first)) return Number();
  characters_.Advance(1);
  switch (first) {
    case '"':
      return Text();
    case '{':
      return JsonToken::kBeginObject;
    case '}':
      return JsonToken::kEndObject;
    case '[':
      return JsonToken::kBeginArray;
    case ']':
      return JsonToken::kEndArray;
    case ':':
      return JsonToken::kColon;
    case ',':
      return JsonToken::kComma;
    case 't':
      return Word("rue", JsonToken::kBoolean);
    case 'f':
      return Word("alse", JsonToken::kBoolean);
    case 'n':
      return Word("ull", JsonToken::kNull);
    default:
      return JsonToken::kBad;
  }
}

JsonToken JsonTokens::Text() {
  kept_.clear();
  while (!characters_.AtEnd()) {
    const std::string_view rest = characters_.Rest();
    const size_t run = kEndsOfRuns.RunOfOthers(rest);
    const bool ends = run < rest.size() && rest[run] == '"';
    if (ends && kept_.empty()) {
      text_ = rest.substr(0, run);
    } else {
      kept_.append(rest, 0, run);
      text_ = kept_;
    }
    characters_.Advance(std::min(run + 1, rest.size()));
    if (ends) return JsonToken::kText;
    if (run < rest.size() && !Escape()) return JsonToken::kBad;
  }
  return JsonToken::kBad;
}

bool JsonTokens::Escape() {
  if (characters_.AtEnd()) return false;
  const char escaped = characters_.Get();
  characters_.Advance(1);
  constexpr std::string_view kEscapes = "\"\\/bfnrt", kCharacters = "\"\\/\b\f\n\r\t";
  if (escaped == 'u') return Unicode();
  const size_t known = kEscapes.find(escaped);
  if (known == std::string_view::npos) return false;
  kept_ += kCharacters[known];
  return true;
}

bool JsonTokens::HexUnit(uint32_t& unit) {
  unit = 0;
  for (int i = 0; i < 4; ++i) {
    if (characters_.AtEnd()) return false;
    const char c = characters_.Get();
    const int digit = IsDigit(c)               ? c - '0'
                      : (c >= 'a' && c <= 'f') ? c - 'a' + 10
                      : (c >= 'A' && c <= 'F') ? c - 'A' + 10
                                               : -1;
    if (digit < 0) return false;
    unit = unit * 16 + static_cast<uint32_t>(digit);
    characters_.Advance(1);
  }
  return true;
}

// Decodes an escape "\uXXXX", or a surrogate pair of two such escapes. The first half of a pair is
// always followed by a second half, because the mender replaces single halves.
bool JsonTokens::Unicode() {
  uint32_t point = 0, second = 0;
  if (!HexUnit(point)) return false;
  if (point >= 0xd800 && point <= 0xdbff) {
    for (const char expected : {'\\', 'u'}) {
      if (characters_.AtEnd() || characters_.Get() != expected) return false;
      characters_.Advance(1);
    }
    if (!HexUnit(second) || second < 0xdc00 || second > 0xdfff) return false;
    point = 0x10000 + ((point - 0xd800) << 10) + (second - 0xdc00);
  }
  AppendUtf8(point, kept_);
  return true;
}

JsonToken JsonTokens::Number() {
  kept_.clear();
  while (!characters_.AtEnd()) {
    const std::string_view rest = characters_.Rest();
    const size_t run = kOfNumbers.RunOf(rest);
    const bool ends = run < rest.size();
    if (ends && kept_.empty()) {
      text_ = rest.substr(0, run);
    } else {
      kept_.append(rest, 0, run);
      text_ = kept_;
    }
    characters_.Advance(run);
    if (ends || kept_.size() > kLongestText) break;
  }
  return IsNumber(text_) ? JsonToken::kNumber : JsonToken::kBad;
}

JsonToken JsonTokens::Word(std::string_view rest, JsonToken token) {
  for (const char expected : rest) {
    if (characters_.AtEnd() || characters_.Get() != expected) return JsonToken::kBad;
    characters_.Advance(1);
  }
  return token;
}

}  // namespace gprofx::importers
