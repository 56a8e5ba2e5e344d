#include "formats/importers/json/json_walk.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "formats/importers/json/json_characters.h"
#include "formats/importers/json/json_error.h"

namespace gprofx::importers {
namespace {

using Json = nlohmann::json;

// Receives the parser's events and keeps the path.
class Walker {
 public:
  explicit Walker(JsonVisitor& visitor) : visitor_(visitor) {}

  size_t failed_at = 0;

  bool null() {
    visitor_.Null(path_);
    return true;
  }
  bool boolean(bool) { return true; }
  bool number_integer(int64_t value) {
    const uint64_t size =
        value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
    return Integer(static_cast<double>(value), size);
  }
  bool number_unsigned(uint64_t value) { return Integer(static_cast<double>(value), value); }
  bool number_float(double value, const std::string& text) {
    JsonNumber number{value, {}, false};
    const std::string_view digits = std::string_view(text).substr(text.starts_with('-') ? 1 : 0);
    if (const auto exact = ParseDecimal(digits)) {
      number.exact = *exact;
      number.is_exact = true;
    }
    visitor_.Number(path_, number);
    return true;
  }
  bool string(std::string& text) {
    visitor_.Text(path_, text);
    return true;
  }
  bool binary(Json::binary_t&) { return true; }
  bool start_object(size_t) {
    visitor_.BeginObject(path_);
    begins_.push_back(path_.size());
    return true;
  }
  bool key(const std::string& key) {
    path_.resize(begins_.back());
    if (!path_.empty()) path_ += '.';
    path_ += key;
    return true;
  }
  bool end_object() {
    path_.resize(begins_.back());
    begins_.pop_back();
    visitor_.EndObject(path_);
    return true;
  }
  bool start_array(size_t) {
    visitor_.BeginArray(path_);
    return true;
  }
  bool end_array() {
    visitor_.EndArray(path_);
    return true;
  }
  bool parse_error(size_t position, const std::string&, const Json::exception&) {
    failed_at = position;
    return false;
  }

 private:
  bool Integer(double value, uint64_t size) {
    JsonNumber number{value, {}, size <= INT64_MAX};
    if (number.is_exact) number.exact.digits = static_cast<int64_t>(size);
    visitor_.Number(path_, number);
    return true;
  }

  JsonVisitor& visitor_;
  std::string path_;
  std::vector<size_t> begins_;  // length of the path of each open object
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
  const bool whole = Json::sax_parse(JsonIterator(&characters), JsonIterator(), &walker);
  if (const auto error = JsonErrorOf(source, characters, path, whole, walker.failed_at)) {
    return *error;
  }
  return characters.mended();
}

}  // namespace gprofx::importers
