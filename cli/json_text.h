// What all writers of JSON share.
#pragma once

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

Json TextsJson(std::span<const std::string> texts);

}  // namespace gprofx
