// Parses JSON as a stream. Memory: one text, and a bit for each open array or object.
//
// The parser calls these functions of the handler, in the order of the file:
//
//   Key(text), Text(text), Number(text), Boolean(), Null(),
//   BeginObject(), EndObject(), BeginArray(), EndArray()
//
// Texts are passed with their escapes decoded. Numbers are passed as written, so the handler loses
// no digits. Views are valid during the call. One thread.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "formats/importers/json/json_characters.h"
#include "formats/importers/json/json_tokens.h"

namespace gprofx::importers {

template <class Handler>
class JsonParser {
 public:
  JsonParser(JsonCharacters& characters, Handler& handler)
      : tokens_(characters), handler_(handler) {}

  // Parses the whole file. Returns false if a character is not valid JSON, or
  // if the file ends inside the value.
  bool Parse() {
    JsonToken token = tokens_.Next();
    do {
      const bool taken = expects_value_ ? Value(token) : Rest(token);
      if (!taken) return false;
      token = tokens_.Next();
    } while (expects_value_ || !in_object_.empty());
    return token == JsonToken::kEnd;
  }

 private:
  bool Value(JsonToken token) {
    expects_value_ = false;
    switch (token) {
      case JsonToken::kText:
        handler_.Text(tokens_.text());
        return true;
      case JsonToken::kNumber:
        handler_.Number(tokens_.text());
        return true;
      case JsonToken::kBoolean:
        handler_.Boolean();
        return true;
      case JsonToken::kNull:
        handler_.Null();
        return true;
      case JsonToken::kBeginObject:
        handler_.BeginObject();
        return Open(true);
      case JsonToken::kBeginArray:
        handler_.BeginArray();
        return Open(false);
      case JsonToken::kEndArray:
        return is_empty_ && !in_object_.empty() && !in_object_.back() && End();
      default:
        return false;
    }
  }

  bool Open(bool is_object) {
    in_object_.push_back(is_object);
    is_empty_ = true;
    expects_value_ = !is_object;
    return true;
  }

  bool End() {
    const bool is_object = in_object_.back();
    in_object_.pop_back();
    is_empty_ = false;
    is_object ? handler_.EndObject() : handler_.EndArray();
    return true;
  }

  bool Key(JsonToken token) {
    if (token != JsonToken::kText) return false;
    handler_.Key(tokens_.text());
    is_empty_ = false;
    expects_value_ = true;
    return tokens_.Next() == JsonToken::kColon;
  }

  // Handles the token after a value, or the first token in an object. Returns false if it is not
  // valid there.
  bool Rest(JsonToken token) {
    const bool is_object = in_object_.back();
    if (token == (is_object ? JsonToken::kEndObject : JsonToken::kEndArray)) return End();
    if (is_object && is_empty_) return Key(token);
    if (token != JsonToken::kComma) return false;
    is_empty_ = false;
    if (is_object) return Key(tokens_.Next());
    expects_value_ = true;
    return true;
  }

  JsonTokens tokens_;
  Handler& handler_;
  std::vector<bool> in_object_;  // for each open array or object, the outermost first
  bool expects_value_ = true;
  bool is_empty_ = false;  // the innermost open array or object has no value yet
};

}  // namespace gprofx::importers
