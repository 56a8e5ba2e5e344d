// Decimal numbers as integers, all multiplied by one power of ten: 12.5 and 3 are 125 and 30 at
// scale 10. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gprofx::importers {

struct Decimal {
  int64_t digits = 0;
  int places = 0;           // digits after the point, without zeros at the end
  bool is_rounded = false;  // more digits than an int64_t holds
};

// "12.50" -> 125, 1 place. nullopt if the text is no such number or its whole part does not fit.
std::optional<Decimal> ParseDecimal(std::string_view text);

int64_t PowerOfTen(int power);  // 0 <= power <= 18

// Division by a power of ten, rounded to nearest.
int64_t DividedByPower(int64_t number, int power);

// The number times 10^places: exact, or rounded if it has more places. nullopt if it does not fit.
std::optional<int64_t> AtScale(const Decimal& number, int places);

}  // namespace gprofx::importers
