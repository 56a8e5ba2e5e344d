// Parses numbers with a unit as users write them: "1.5ms", "90", "20G". Pure; any thread.
#pragma once

#include <charconv>
#include <cmath>
#include <optional>
#include <span>
#include <string_view>

namespace gprofx {

struct UnitFactor {
  std::string_view name;  // "" accepts a number without a unit
  double factor;
};

// Removes a decimal number without sign and exponent from the start of `text` and returns it. No
// value if there is none.
inline std::optional<double> TakeDecimal(std::string_view& text) {
  double value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc() || std::signbit(value) || !std::isfinite(value)) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return value;
}

// Returns the number times the factor of its unit. No value if `text` is not exactly a number and
// one of `units`.
inline std::optional<double> ParseQuantity(std::string_view text,
                                           std::span<const UnitFactor> units) {
  const std::optional<double> number = TakeDecimal(text);
  if (!number) return std::nullopt;
  for (const UnitFactor& unit : units) {
    if (text == unit.name) return *number * unit.factor;
  }
  return std::nullopt;
}

}  // namespace gprofx
