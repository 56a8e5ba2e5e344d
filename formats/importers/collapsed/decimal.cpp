#include "formats/importers/collapsed/decimal.h"

#include <algorithm>

#include "core/base/text.h"
#include "formats/importers/collapsed/stack_line.h"

namespace gprofx::importers {
namespace {

constexpr int kMaxPlaces = 18;

std::string_view WithoutZerosAtEnd(std::string_view digits) {
  const size_t last = digits.find_last_not_of('0');
  return digits.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

bool Append(int64_t& number, char digit) {
  int64_t longer = 0;
  if (__builtin_mul_overflow(number, 10, &longer) ||
      __builtin_add_overflow(longer, digit - '0', &longer)) {
    return false;
  }
  number = longer;
  return true;
}

}  // namespace

std::optional<Decimal> ParseDecimal(std::string_view text) {
  const size_t point = std::min(text.find('.'), text.size());
  const auto whole = NumberOf<int64_t>(text.substr(0, point));
  const std::string_view fraction = text.substr(std::min(point + 1, text.size()));
  if (!whole || *whole < 0 || (point < text.size() && !IsDigits(fraction))) return std::nullopt;
  Decimal number{*whole};
  for (const char digit : WithoutZerosAtEnd(fraction)) {
    if (number.places == kMaxPlaces || !Append(number.digits, digit)) {
      if (digit >= '5' && number.digits < INT64_MAX) ++number.digits;
      number.is_rounded = true;
      break;
    }
    ++number.places;
  }
  return number;
}

int64_t PowerOfTen(int power) {
  int64_t result = 1;
  for (int i = 0; i < power; ++i) result *= 10;
  return result;
}

int64_t DividedByPower(int64_t number, int power) {
  const int64_t divisor = PowerOfTen(power);
  return number / divisor + (number % divisor >= divisor - divisor / 2 ? 1 : 0);
}

std::optional<int64_t> AtScale(const Decimal& number, int places) {
  if (number.places > places) return DividedByPower(number.digits, number.places - places);
  int64_t result = 0;
  const int64_t factor = PowerOfTen(places - number.places);
  if (__builtin_mul_overflow(number.digits, factor, &result)) return std::nullopt;
  return result;
}

}  // namespace gprofx::importers
