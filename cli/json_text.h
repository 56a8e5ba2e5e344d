// Shared by all JSON writers.
#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

namespace gprofx {

using Json = nlohmann::ordered_json;

// Returns `text` with bytes that are not UTF-8 replaced by U+FFFD. nlohmann::json throws on such
// bytes when it compares keys or dumps.
std::string Utf8(std::string_view text);

// Returns null if the value is not finite: JSON has no infinity.
Json FiniteJson(double value);

// Limits for a reader that accepts only the first entries of long lists, or the largest part of a
// call tree.
struct ListRoom {
  size_t most = SIZE_MAX;             // maximum entries of a list
  std::map<std::string, size_t> cut;  // JSON pointer of each list that was cut -> its full length

  // Returns how many of `all` entries fit at `where`.
  size_t Keep(const std::string& where, size_t all) {
    if (all > most) cut[where] = all;
    return all < most ? all : most;
  }
};

// Returns `json` formatted, with a final newline. Escapes characters that are unsafe on a terminal
// (cli/terminal/text.h); the value stays the same. Invalid bytes become U+FFFD.
std::string PrintedJson(const Json& json, int indent);

Json TextsJson(std::span<const std::string> texts);

}  // namespace gprofx
