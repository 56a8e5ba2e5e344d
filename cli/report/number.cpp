#include "cli/report/number.h"

#include <cmath>

#include "core/base/format.h"

namespace gprofx {
namespace {

constexpr int kMaxPercent = 999;

}  // namespace

std::string ShortCount(int64_t number) {
  constexpr int64_t kLargest = 9'999'999'999;
  if (number <= kLargest && number >= -kLargest) return Grouped(number);
  return Format("%.1e", static_cast<double>(number));
}

std::string Grouped(int64_t number) {
  std::string digits = std::to_string(number);
  const size_t first = digits[0] == '-' ? 1 : 0;
  for (size_t i = digits.size(); i > first + 3;) {
    i -= 3;
    digits.insert(i, ",");
  }
  return digits;
}

std::string Duration(int64_t ns) {
  if (ns == 0) return "0 s";
  const double size = std::fabs(static_cast<double>(ns));
  const char* unit = "s";
  double value = size / 1e9;
  if (size < 999.5) {
    unit = "ns", value = size;
  } else if (size < 999.5e3) {
    unit = "us", value = size / 1e3;
  } else if (size < 999.5e6) {
    unit = "ms", value = size / 1e6;
  }
  const int places = unit[0] == 'n' || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  const std::string text =
      value >= 999.5 ? Grouped(static_cast<int64_t>(value + 0.5)) : Format("%.*f", places, value);
  return (ns < 0 ? "-" : "") + text + " " + unit;
}

std::string Percent(double part, double whole) {
  if (!(whole > 0)) return "-";
  // Limit the percentage. Absurd values in a file must not break the layout of a table.
  const double percent = 100 * part / whole;
  if (percent > kMaxPercent) return ">" + Grouped(kMaxPercent) + "%";
  if (percent < -kMaxPercent) return "<-" + Grouped(kMaxPercent) + "%";
  const std::string text = Format("%.1f%%", percent);
  return text == "-0.0%" ? "0.0%" : text;
}

std::string Amount(int64_t value, const std::string& unit) {
  if (unit == "bytes") return Bytes(value);
  return unit == "ns" ? Duration(value) : Grouped(value);
}

std::string Bytes(int64_t bytes) {
  static constexpr const char* kUnits[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  if (bytes < 1000) return std::to_string(bytes) + " B";
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 999.5 && unit + 1 < std::size(kUnits)) {
    value /= 1000;
    ++unit;
  }
  const int places = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return Format("%.*f %s", places, value, kUnits[unit]);
}

std::string StepsInWords(const StepNumbers& steps) {
  const std::string count = Grouped(static_cast<int64_t>(steps.count)) + " steps of ";
  const std::string p95 = "p95 " + Duration(steps.p95_ns) + ")";
  if (!steps.Uneven()) return count + Duration(steps.median_ns) + " (" + p95;
  return count + Duration(steps.mean_ns) + " (mean; median " + Duration(steps.median_ns) + ", " +
         p95;
}

std::string NotSampledLine(int64_t count, std::string_view programs) {
  return Grouped(count) + (count == 1 ? " process was" : " processes were") +
         " not sampled: " + std::string(programs);
}

std::string Dollars(double dollars) { return Format("$%.3g", dollars); }

}  // namespace gprofx
