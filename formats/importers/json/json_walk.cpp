#include "formats/importers/json/json_walk.h"

#include <cmath>
#include <cstdlib>
#include <vector>

#include "formats/importers/json/json_characters.h"
#include "formats/importers/json/json_error.h"
#include "formats/importers/json/json_parser.h"

namespace gprofx::importers {
namespace {

// Receives the parser's calls and keeps track of the path.
class Walker {
 public:
  explicit Walker(JsonVisitor& visitor) : visitor_(visitor) {}

  void Null() { visitor_.Null(path_); }
  void Boolean() {}
  void Number(std::string_view text) {
    JsonNumber number{std::strtod(std::string(text).c_str(), nullptr), {}, false};
    const std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
    if (const auto exact = ParseDecimal(digits)) {
      number.exact = *exact;
      number.is_exact = true;
    }
    visitor_.Number(path_, number);
  }
  void Text(std::string_view text) { visitor_.Text(path_, text); }
  void BeginObject() {
    visitor_.BeginObject(path_);
    begins_.push_back(path_.size());
  }
  void Key(std::string_view key) {
    path_.resize(begins_.back());
    if (!path_.empty()) path_ += '.';
    path_ += key;
  }
  void EndObject() {
    path_.resize(begins_.back());
    begins_.pop_back();
    visitor_.EndObject(path_);
  }
  void BeginArray() { visitor_.BeginArray(path_); }
  void EndArray() { visitor_.EndArray(path_); }

 private:
  JsonVisitor& visitor_;
  std::string path_;
  std::vector<size_t> begins_;  // for each open object: length of the path at its begin
};

}  // namespace

std::optional<int64_t> JsonNumber::Times(int power) const {
  constexpr double kTooLarge = 9.2e18;
  if (!(value >= 0)) return std::nullopt;
  if (is_exact) return AtScale(exact, power);
  const double scaled = std::round(value * std::pow(10.0, power));
  return scaled < kTooLarge ? std::optional(static_cast<int64_t>(scaled)) : std::nullopt;
}

Result<int64_t> WalkJson(ByteSource& source, const std::string& path, JsonVisitor& visitor) {
  JsonCharacters characters(source);
  Walker walker(visitor);
  const bool whole = JsonParser(characters, walker).Parse();
  if (const auto error = JsonErrorOf(source, characters, path, whole)) return *error;
  return characters.mended();
}

}  // namespace gprofx::importers
