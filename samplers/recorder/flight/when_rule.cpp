#include "samplers/recorder/flight/when_rule.h"

#include <span>
#include <utility>

#include "core/base/quantity.h"

namespace gprofx::recorder {
namespace {

std::string WithoutBlanks(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c != ' ' && c != '\t') out += c;
  }
  return out;
}

// Parses a number with a unit. Returns none if the number is not above 0.
std::optional<double> Measured(std::string_view text, std::span<const UnitFactor> units) {
  const std::optional<double> quantity = ParseQuantity(text, units);
  return quantity && *quantity > 0 ? quantity : std::nullopt;
}

bool ReadStep(std::string_view text, WhenRule& rule) {
  static constexpr UnitFactor kTimes[] = {{"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
  if (const auto time = Measured(text, kTimes)) {
    rule.limit = *time;
    return true;
  }
  rule.limit = 1;
  if (!text.starts_with('p')) {
    const auto factor = TakeDecimal(text);
    if (!factor || *factor == 0 || !text.starts_with('*')) return false;
    rule.limit = *factor;
    text.remove_prefix(1);
  }
  for (const int percent : {50, 90, 95, 99}) {
    if (text == "p" + std::to_string(percent)) rule.quantile = percent;
  }
  return rule.quantile.has_value();
}

bool ReadLimit(std::string_view text, WhenRule& rule) {
  static constexpr UnitFactor kShares[] = {{"%", 0.01}};
  static constexpr UnitFactor kBytes[] = {
      {"K", 1024.0}, {"M", 1048576.0}, {"G", 1073741824.0}, {"T", 1099511627776.0}};
  if (rule.what == WhenWhat::kStep) return ReadStep(text, rule);
  const auto limit =
      rule.what == WhenWhat::kGpuIdle ? Measured(text, kShares) : Measured(text, kBytes);
  rule.limit = limit.value_or(0);
  return limit && !(rule.what == WhenWhat::kGpuIdle && *limit >= 1);
}

}  // namespace

Result<WhenRule> ParseWhen(std::string_view text) {
  WhenRule rule;
  rule.text = WithoutBlanks(text);
  static constexpr std::pair<std::string_view, WhenWhat> kNames[] = {
      {"step>", WhenWhat::kStep}, {"gpu_idle>", WhenWhat::kGpuIdle}, {"rss>", WhenWhat::kRss}};
  for (const auto& [name, what] : kNames) {
    if (!rule.text.starts_with(name)) continue;
    rule.what = what;
    if (ReadLimit(std::string_view(rule.text).substr(name.size()), rule)) return rule;
  }
  return Error{ErrorId::kBadValue,
               "option '--when' needs a rule, not '" + std::string(text.substr(0, 100)) + "'",
               "for example step>1.5*p99, step>200ms, gpu_idle>30% or rss>20G"};
}

std::optional<double> ParseSpan(std::string_view text) {
  static constexpr UnitFactor kUnits[] = {{"", 1e9}, {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}};
  return Measured(text, kUnits);
}

}  // namespace gprofx::recorder
