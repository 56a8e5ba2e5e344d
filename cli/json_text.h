// Helpers for everything that writes JSON.
#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

namespace gprofx {

using Json = nlohmann::ordered_json;

// Returns `text` with invalid UTF-8 replaced by U+FFFD. Without that, nlohmann::json throws when it
// compares keys or dumps a value.
std::string Utf8(std::string_view text);

// Returns the value as JSON; null if it is not finite, because JSON has no infinity.
Json FiniteJson(double value);

// Limits the length of lists. Used if the reader accepts only the first entries of long lists, or
// the largest part of a call tree.
struct ListRoom {
  size_t most = SIZE_MAX;             // maximum entries of a list
  std::map<std::string, size_t> cut;  // JSON pointer of each shortened list -> its full length

  // Returns how many of the `all` entries of the list at `where` to keep. Notes that the list was
  // cut, if it was.
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
