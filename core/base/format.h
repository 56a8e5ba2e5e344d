// Formats texts as printf(3) does. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>

namespace gprofx {

[[gnu::format(printf, 1, 2)]] std::string Format(const char* format, ...);

std::string SecondsText(int64_t ns, int places);   // "1.5 s" with 1 place
std::string HexText(uint64_t number, int digits);  // at least so many digits, lower case, no prefix

}  // namespace gprofx
