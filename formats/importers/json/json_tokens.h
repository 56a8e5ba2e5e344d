// Splits JSON into tokens. The characters are mended (json_mender.h): texts have no control
// characters, and only escapes that JSON knows. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "formats/importers/json/json_characters.h"

namespace gprofx::importers {

enum class JsonToken : uint8_t {
  kText,
  kNumber,
  kBoolean,
  kNull,
  kBeginObject,
  kEndObject,
  kBeginArray,
  kEndArray,
  kColon,
  kComma,
  kEnd,  // end of the file
  kBad
};

class JsonTokens {
 public:
  explicit JsonTokens(JsonCharacters& characters) : characters_(characters) {}

  JsonToken Next();
  // Returns a text with its escapes decoded, or a number as written. Valid until the next call of
  // Next().
  std::string_view text() const { return text_; }

 private:
  bool SkipBlanks();
  bool SkipByteOrderMark();
  JsonToken Text();
  bool Escape();
  bool Unicode();
  bool HexUnit(uint32_t& unit);
  JsonToken Number();
  JsonToken Word(std::string_view rest, JsonToken token);

  JsonCharacters& characters_;
  std::string_view text_;
  std::string kept_;  // text that has escapes or spans several pieces
  bool is_started_ = false;
};

}  // namespace gprofx::importers
