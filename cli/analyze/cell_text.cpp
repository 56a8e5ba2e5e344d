#include "cli/analyze/cell_text.h"

#include <cmath>

#include "cli/report/number.h"
#include "cli/terminal/text.h"
#include "core/base/format.h"

namespace gprofx {
namespace {

std::string NumberText(double number) {
  return Format(std::fabs(number) >= 1000 ? "%.0f" : "%.3g", number);
}

std::string WithPrefix(double number, const char* unit) {
  static constexpr const char* kPrefixes[] = {"", "k", "M", "G", "T", "P"};
  size_t prefix = 0;
  while (number >= 999.5 && prefix + 1 < std::size(kPrefixes)) {
    number /= 1000;
    ++prefix;
  }
  return NumberText(number) + " " + kPrefixes[prefix] + unit;
}

}  // namespace

std::string CellText(const analyses::AnalysisCell& cell, analyses::CellUnit unit) {
  if (const auto* text = std::get_if<std::string>(&cell)) return Printable(*text);
  if (std::holds_alternative<std::monostate>(cell)) return "";
  const auto* whole = std::get_if<int64_t>(&cell);
  const double number = whole != nullptr ? static_cast<double>(*whole) : std::get<double>(cell);
  switch (unit) {
    case analyses::CellUnit::kNs:
      return Duration(whole != nullptr ? *whole : std::llround(number));
    case analyses::CellUnit::kShare:
      return Percent(number, 1);
    case analyses::CellUnit::kBytes:
      return Bytes(whole != nullptr ? *whole : std::llround(number));
    case analyses::CellUnit::kFlop:
      return WithPrefix(number, "FLOP");
    case analyses::CellUnit::kFlopPerSecond:
      return WithPrefix(number, "FLOP/s");
    case analyses::CellUnit::kBytesPerSecond:
      return WithPrefix(number, "B/s");
    default:
      return whole != nullptr ? Grouped(*whole) : NumberText(number);
  }
}

}  // namespace gprofx
