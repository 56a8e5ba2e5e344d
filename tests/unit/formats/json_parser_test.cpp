// The parser of JSON against nlohmann's, on texts that are JSON and on nearly the same that are
// not.
#include "formats/importers/json/json_parser.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "tests/unit/formats/test_support.h"

namespace gprofx::importers {
namespace {

using nlohmann::json;

// Builds a document from what the parser tells.
class Builder {
 public:
  json document;

  void Null() { Put(nullptr); }
  void Boolean() { Put(true); }
  void Number(std::string_view text) { Put("number " + std::string(text)); }
  void Text(std::string_view text) { Put(std::string(text)); }
  void Key(std::string_view key) { key_ = key; }
  void BeginObject() { open_.push_back(&Put(json::object())); }
  void EndObject() { open_.pop_back(); }
  void BeginArray() { open_.push_back(&Put(json::array())); }
  void EndArray() { open_.pop_back(); }

 private:
  json& Put(json value) {
    if (open_.empty()) return document = std::move(value);
    if (open_.back()->is_object()) return (*open_.back())[key_] = std::move(value);
    open_.back()->push_back(std::move(value));
    return open_.back()->back();
  }
  std::string key_;
  std::vector<json*> open_;
};

// The same of nlohmann's document.
json AsTold(const json& value) {
  if (value.is_number()) return "number " + value.dump();
  if (value.is_boolean()) return true;
  json out = value;
  if (value.is_structured()) {
    for (json& inner : out) inner = AsTold(inner);
  }
  return out;
}

struct Parsed {
  bool whole = false;
  json document;
};

Parsed Parse(const std::string& text) {
  const test::TempFolder folder;
  const std::string path = folder / "file.json";
  std::ofstream(path) << text;
  Result<ByteSource> source = ByteSource::Open(path);
  REQUIRE(source);
  JsonCharacters characters(*source);
  Builder builder;
  const bool whole = JsonParser(characters, builder).Parse();
  return {whole, builder.document};
}

}  // namespace

TEST_CASE("JSON is read as nlohmann's parser reads it") {
  for (const char* text :
       {"{}", "[]", " [ ] ", "0", "12", "1.5", "\"\"", "\"a\\n\\\"\\\\\\/\\u00e9\\ud83d\\ude00\"",
        "null", "true", "[1,2,[3,{}],{\"a\":[],\"b\":{\"c\":null}}]", "\xef\xbb\xbf[1]",
        "{\"a\":1,\"a\":2}", "[[[[]]]]", "[{},{}]", "[\"\\u0000x\"]"}) {
    INFO(text);
    const Parsed ours = Parse(text);
    CHECK(ours.whole);
    CHECK(ours.document == AsTold(json::parse(text)));
  }
  CHECK(Parse("[1e5,1E+5,2.5e-3,1e999]").document ==
        json({"number 1e5", "number 1E+5", "number 2.5e-3", "number 1e999"}));
}

TEST_CASE("what is no JSON is refused") {
  for (const char* text : {"{",         "[",           "]",
                           "}",         "[1",          "[1 2]",
                           "{\"a\"}",   "{\"a\":}",    "{\"a\":1 \"b\":2}",
                           "{1:2}",     "[,1]",        "[1,,2]",
                           "[1]]",      "[1]{}",       "01",
                           "-",         "1.",          ".5",
                           "1e",        "+1",          "nul",
                           "tru",       "\"a",         "[}",
                           "{]",        "[1}",         "{\"a\":1]",
                           "{\"a\":[}", "\xef\xbb[1]", "x",
                           ":",         "[\"a\":1]",   "{\"a\",1}"}) {
    INFO(text);
    CHECK_FALSE(Parse(text).whole);
  }
}

TEST_CASE("JSON with one character changed is taken only if it is JSON") {
  const std::string text = R"([{"a": [1, -2.5e3, "x\n\u0041"], "b": {"c": true}}, null, []])";
  std::mt19937 random(3);
  for (int i = 0; i < 300; ++i) {
    std::string changed = text;
    constexpr std::string_view kOthers = "{}[],:\"0e.\\ nt-";
    changed[random() % changed.size()] = kOthers[random() % kOthers.size()];
    INFO(changed);
    // The mender takes a comma too many, and escapes that JSON does not know.
    if (json::accept(changed)) CHECK(Parse(changed).whole);
  }
}

TEST_CASE("texts and numbers that lie on the border of two pieces are whole") {
  for (const size_t before : {size_t{262'140}, size_t{262'141}, size_t{262'143}, size_t{262'144}}) {
    const std::string text = std::string(before, ' ') + R"(["a\u00e9b", 123456, "cd"])";
    const Parsed ours = Parse(text);
    CHECK(ours.whole);
    CHECK(ours.document == json({"a\u00e9b", "number 123456", "cd"}));
  }
}

}  // namespace gprofx::importers
