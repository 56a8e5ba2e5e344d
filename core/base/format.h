// Formats numbers and other values as texts. Format() takes the formats of printf(3). Pure; any
// thread.
#pragma once

#include <cstdint>
#include <string>

namespace gprofx {

[[gnu::format(printf, 1, 2)]] std::string Format(const char* format, ...);

std::string SecondsText(int64_t ns, int places);  // "1.5 s" with 1 place
// Returns `number` in lower case without a prefix, padded with 0 to at least `digits` digits.
std::string HexText(uint64_t number, int digits);

}  // namespace gprofx
