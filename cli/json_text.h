// What all writers of JSON share.
#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

namespace gprofx {

using Json = nlohmann::ordered_json;

// `text` with bytes that are no UTF-8 replaced by U+FFFD: the library would throw on them when it
// compares keys or dumps.
std::string Utf8(std::string_view text);

// JSON has no infinity: null where it is none.
Json FiniteJson(double value);

// For a reader who has room for the beginning of long lists, or for the largest part of a call
// tree.
struct ListRoom {
  size_t most = SIZE_MAX;             // entries of a list
  std::map<std::string, size_t> cut;  // how many a list had that was cut, by its JSON pointer

  // How many of `all` entries there is room for at `where`.
  size_t Keep(const std::string& where, size_t all) {
    if (all > most) cut[where] = all;
    return all < most ? all : most;
  }
};

// `json` as it is printed, with the end of its last line. Characters that are unsafe on a terminal
// (cli/terminal/text.h) are escapes; the value is the same. Invalid bytes become U+FFFD.
std::string PrintedJson(const Json& json, int indent);

Json TextsJson(std::span<const std::string> texts);

}  // namespace gprofx
