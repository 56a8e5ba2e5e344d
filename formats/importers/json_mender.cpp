#include "formats/importers/json_mender.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

namespace gprofx::importers {
namespace {

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsHexDigit(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

bool IsPlainInText(char c) {
  return static_cast<unsigned char>(c) >= 0x20 && static_cast<unsigned char>(c) < 0x80 &&
         c != '"' && c != '\\';
}
bool IsPlainOutside(char c) {
  return c != '"' && c != '-' && c != '+' && c != ']' && c != '}' && !IsLetter(c);
}

// Says for each character whether it can be copied unchanged, inside or outside of texts.
using Table = std::array<bool, 256>;
template <class Test>
Table TableOf(Test test) {
  Table table = {};
  for (size_t i = 0; i < table.size(); ++i) table[i] = test(static_cast<char>(i));
  return table;
}
const Table kPlainInText = TableOf(IsPlainInText), kPlainOutside = TableOf(IsPlainOutside);

bool IsNoNumber(std::string_view word) {
  if (word.starts_with('-') || word.starts_with('+')) word.remove_prefix(1);
  for (const std::string_view known :
       {"NaN", "nan", "NAN", "Infinity", "infinity", "inf", "Inf", "INF", "INFINITY"}) {
    if (word == known) return true;
  }
  return false;
}

// Returns the length of the UTF-8 character of several bytes that begins with `lead`; 0 if none
// does.
size_t LengthOf(unsigned char lead) {
  return lead >= 0xc2 && lead <= 0xdf   ? 2
         : lead >= 0xe0 && lead <= 0xef ? 3
         : lead >= 0xf0 && lead <= 0xf4 ? 4
                                        : 0;
}

// True if `c` may be the second byte after `lead`. False for overlong forms, surrogates and
// characters above U+10FFFF.
bool MaySecond(unsigned char lead, unsigned char c) {
  switch (lead) {
    case 0xe0:
      return c >= 0xa0 && c <= 0xbf;
    case 0xed:
      return c >= 0x80 && c <= 0x9f;
    case 0xf0:
      return c >= 0x90 && c <= 0xbf;
    case 0xf4:
      return c >= 0x80 && c <= 0x8f;
    default:
      return c >= 0x80 && c <= 0xbf;
  }
}

}  // namespace

void JsonMender::Replace(std::string& out) {
  out += "\\ufffd";
  ++mended_;
}

void JsonMender::DropHalfPair(std::string& out) {
  if (half_.empty()) return;
  half_.clear();
  Replace(out);
}

void JsonMender::EndWord(std::string& out) {
  if (word_.empty()) return;
  const bool is_no_number = IsNoNumber(word_);
  mended_ += is_no_number ? 1 : 0;
  out += is_no_number ? "null" : word_;
  word_.clear();
}

// Removes the comma after the last value of a list from `out`.
void JsonMender::DropComma(std::string& out) {
  const size_t last = out.find_last_not_of(" \t\r\n");
  if (last == std::string::npos || out[last] != ',') return;
  out.resize(last);
  ++mended_;
}

// Each of the next functions handles `c` in one state. A function returns false if it changed the
// state and `c` must be handled again.
bool JsonMender::Outside(char c, std::string& out) {
  constexpr size_t kLongestWord = 64;  // numbers and words of JSON are shorter
  const bool in_word = !word_.empty() && (IsDigit(c) || c == '.');
  if (IsLetter(c) || c == '-' || c == '+' || in_word) {
    word_ += c;
    if (word_.size() >= kLongestWord) EndWord(out);
    return true;
  }
  EndWord(out);
  if (c == ']' || c == '}') DropComma(out);
  out += c;
  if (c == '"') {
    state_ = State::kText;
    length_ = 0;
  }
  return true;
}

bool JsonMender::InText(char c, std::string& out) {
  const auto byte = static_cast<unsigned char>(c);
  if (!utf8_.empty() || byte >= 0x80) return InUtf8(byte, out);
  if (c == '\\') {
    state_ = State::kEscape;
    return true;
  }
  DropHalfPair(out);
  if (c == '"') {
    state_ = State::kOutside;
    length_ = 0;
  }
  if (byte >= 0x20) {
    out += c;
  } else if (c == '\t' || c == '\n' || c == '\r') {
    out += c == '\t' ? "\\t" : c == '\n' ? "\\n" : "\\r";
  } else {
    Replace(out);
  }
  return true;
}

bool JsonMender::InUtf8(unsigned char c, std::string& out) {
  DropHalfPair(out);
  const bool fits = utf8_.empty()       ? LengthOf(c) != 0
                    : utf8_.size() == 1 ? MaySecond(static_cast<unsigned char>(utf8_[0]), c)
                                        : c >= 0x80 && c <= 0xbf;
  if (!fits) {
    const bool again = !utf8_.empty();
    utf8_.clear();
    Replace(out);
    return !again;
  }
  utf8_ += static_cast<char>(c);
  if (utf8_.size() == LengthOf(static_cast<unsigned char>(utf8_[0]))) {
    out += utf8_;
    utf8_.clear();
  }
  return true;
}

bool JsonMender::InEscape(char c, std::string& out) {
  if (c == 'u') {
    state_ = State::kHex;
    return true;
  }
  state_ = State::kText;
  DropHalfPair(out);
  if (std::string_view("\"\\/bfnrt").find(c) == std::string_view::npos) {
    Replace(out);
    return false;
  }
  out += '\\';
  out += c;
  return true;
}

bool JsonMender::InHex(char c, std::string& out) {
  if (!IsHexDigit(c)) {
    state_ = State::kText;
    hex_.clear();
    DropHalfPair(out);
    Replace(out);
    return false;
  }
  hex_ += c;
  if (hex_.size() == 4) EndEscape(out);
  return true;
}

void JsonMender::EndEscape(std::string& out) {
  state_ = State::kText;
  const long value = std::strtol(hex_.c_str(), nullptr, 16);
  const bool is_first = value >= 0xd800 && value <= 0xdbff;
  const bool is_second = value >= 0xdc00 && value <= 0xdfff;
  if (is_second && !half_.empty()) {
    out += "\\u" + half_ + "\\u" + hex_;
    half_.clear();
  } else {
    DropHalfPair(out);
    if (is_second) {
      Replace(out);
    } else if (!is_first) {
      out += "\\u" + hex_;
    }
  }
  if (is_first) half_ = hex_;
  hex_.clear();
}

void JsonMender::Add(std::span<const char> piece, std::string& out) {
  const char* at = piece.data();
  const char* const end = at + piece.size();
  if (comma_kept_) out += ',';
  comma_kept_ = false;
  while (at != end) {
    const bool in_text = state_ == State::kText && utf8_.empty() && half_.empty();
    if (in_text || (state_ == State::kOutside && word_.empty())) {
      const Table& plain = in_text ? kPlainInText : kPlainOutside;
      const char* const run =
          std::find_if(at, end, [&](char c) { return !plain[static_cast<unsigned char>(c)]; });
      out.append(at, run);
      length_ += static_cast<size_t>(run - at);
      at = run;
      if (at == end) break;
    }
    const bool taken = state_ == State::kOutside  ? Outside(*at, out)
                       : state_ == State::kText   ? InText(*at, out)
                       : state_ == State::kEscape ? InEscape(*at, out)
                                                  : InHex(*at, out);
    if (!taken) continue;
    ++at;
    ++length_;
  }
  const size_t last = out.find_last_not_of(" \t\r\n");
  if (state_ != State::kOutside || !word_.empty() || last == std::string::npos ||
      out[last] != ',') {
    return;
  }
  out.resize(last);
  comma_kept_ = true;
}

void JsonMender::Finish(std::string& out) { EndWord(out); }

}  // namespace gprofx::importers
