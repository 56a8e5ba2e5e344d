// Handles decimal numbers as integers that are multiplied by a power of ten: with the factor 10,
// 12.5 and 3 are 125 and 30. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gprofx::importers {

struct Decimal {
  int64_t digits = 0;
  int places = 0;           // number of digits after the point, without zeros at the end
  bool is_rounded = false;  // the text has more digits than an int64_t holds
};

// Parses a decimal number: "12.50" has the digits 125 and 1 place. No value if the text is not a
// non-negative number, or if its whole part is too large.
std::optional<Decimal> ParseDecimal(std::string_view text);

int64_t PowerOfTen(int power);  // 10^power; 0 <= power <= 18

// Returns number / 10^power, rounded to nearest.
int64_t DividedByPower(int64_t number, int power);

// Returns the number times 10^places, rounded if it has more places. No value if the result does
// not fit.
std::optional<int64_t> AtScale(const Decimal& number, int places);

}  // namespace gprofx::importers
