// Helpers for code that writes JSON.
#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

namespace gprofx {

using Json = nlohmann::ordered_json;

// Returns `text` with invalid UTF-8 replaced by U+FFFD. With invalid UTF-8, nlohmann::json throws
// when it compares keys or dumps a value.
std::string Utf8(std::string_view text);

// Returns the value as JSON. A value that is not finite becomes null, because JSON has no infinity.
Json FiniteJson(double value);

// Limits the length of lists. Used for a reader that accepts only the first entries of long lists,
// or the largest part of a call tree.
struct ListRoom {
  size_t most = SIZE_MAX;             // maximum entries of a list
  std::map<std::string, size_t> cut;  // original length of each shortened list, by its JSON pointer

  // Returns how many of the `all` entries of the list at `where` to keep. If that is fewer than
  // all, records the list in `cut`.
  size_t Keep(const std::string& where, size_t all) {
    if (all > most) cut[where] = all;
    return all < most ? all : most;
  }
};

// Returns `json` as text with a final newline. Characters that are unsafe on a terminal
// (cli/terminal/text.h) are escaped, which does not change the value. Invalid bytes become U+FFFD.
std::string PrintedJson(const Json& json, int indent);

Json TextsJson(std::span<const std::string> texts);

}  // namespace gprofx
