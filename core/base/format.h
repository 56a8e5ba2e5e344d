// Texts made by the formats of printf(3). Pure; any thread.
#pragma once

#include <cstdint>
#include <string>

namespace gprofx {

[[gnu::format(printf, 1, 2)]] std::string Format(const char* format, ...);

std::string SecondsText(int64_t ns, int places);   // of 1 place: "1.5 s"
std::string HexText(uint64_t number, int digits);  // at least so many digits, lower case

}  // namespace gprofx
