#include "cli/ci/benchmark_history/units.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "core/base/text.h"

namespace gprofx {
namespace {

constexpr size_t kLongestUnit = 40;

struct TimeUnit {
  double ns;
  std::string_view names[6];
};

constexpr TimeUnit kTimeUnits[] = {
    {1, {"ns", "nsec", "nsecs", "nanosecond", "nanoseconds"}},
    {1e3, {"us", "\u00b5s", "\u03bcs", "usec", "microsecond", "microseconds"}},
    {1e6, {"ms", "msec", "msecs", "millisecond", "milliseconds"}},
    {1e9, {"s", "sec", "secs", "second", "seconds"}},
    {60e9, {"min", "minute", "minutes"}},
};

constexpr std::string_view kCalls[] = {"iter",  "iters", "iteration", "iterations", "it",
                                       "op",    "ops",   "operation", "operations", "call",
                                       "calls", "run",   "runs",      "round",      "rounds"};

// Returns the length of the unit in ns; 0 if it is not a unit of time.
double NsOf(std::string_view unit) {
  for (const TimeUnit& each : kTimeUnits) {
    const auto end = std::end(each.names);
    if (!unit.empty() && std::find(std::begin(each.names), end, unit) != end) return each.ns;
  }
  return 0;
}

bool IsCall(std::string_view word) {
  return std::find(std::begin(kCalls), std::end(kCalls), word) != std::end(kCalls);
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

}  // namespace

std::optional<double> TimeOfCall(double value, std::string_view unit) {
  if (unit.size() > kLongestUnit) return std::nullopt;
  const std::string lower = Lower(unit);
  const std::string_view whole = Trimmed(lower);
  const size_t slash = whole.find('/');
  if (slash == std::string_view::npos) {
    const double ns = NsOf(whole);
    return ns > 0 ? std::optional(value * ns) : std::nullopt;
  }
  const std::string_view above = Trimmed(whole.substr(0, slash));
  const std::string_view below = Trimmed(whole.substr(slash + 1));
  if (IsCall(below) && NsOf(above) > 0) return value * NsOf(above);
  if (IsCall(above) && NsOf(below) > 0 && value > 0) return NsOf(below) / value;
  return std::nullopt;
}

}  // namespace gprofx
