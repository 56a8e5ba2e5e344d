#include "cli/options/part.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "cli/terminal/text.h"
#include "core/base/quantity.h"

namespace gprofx {
namespace {

constexpr double kLongest = 4e18;  // in ns: 126 years

Error NoRange(const std::string& text) {
  return BadValue("--range", "FROM..TO", text,
                  "for example --range 12s..15s, 800ms..1.2s, 3s.. or ..2s");
}

Error NoSteps(const std::string& text) {
  return BadValue("--steps", "FIRST..LAST", text, "for example --steps 100..200, counted from 1");
}

// Parses a time such as "12", "12s" or "1.5ms". A time without a unit is in seconds. Returns
// nullopt if it is invalid.
std::optional<HostNs> ParseTime(std::string_view text) {
  static constexpr UnitFactor kUnits[] = {{"", 1e9},  {"ns", 1},     {"us", 1e3},  {"ms", 1e6},
                                          {"s", 1e9}, {"min", 60e9}, {"h", 3600e9}};
  const std::optional<double> ns = ParseQuantity(text, kUnits);
  if (!ns || *ns > kLongest) return std::nullopt;
  return std::llround(*ns);
}

std::optional<uint32_t> ParseNumber(std::string_view text) {
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

Result<PartQuery> ParsePhase(const std::string& text) {
  static constexpr struct {
    std::string_view name;
    PhaseKind kind;
  } kPhases[] = {{"startup", PhaseKind::kStartUp}, {"start-up", PhaseKind::kStartUp},
                 {"warmup", PhaseKind::kWarmUp},   {"warm-up", PhaseKind::kWarmUp},
                 {"steady", PhaseKind::kSteady},   {"end", PhaseKind::kEnd},
                 {"work", PhaseKind::kWork}};
  PartQuery part;
  if (text == "all") {
    part.all = true;
    return part;
  }
  for (const auto& [name, kind] : kPhases) {
    if (name != text) continue;
    part.phase = kind;
    return part;
  }
  return BadValue("--phase", "all, startup, warmup, steady, end or work", text);
}

}  // namespace

Result<TimeRange> ParseTimeRange(const std::string& text) {
  const size_t dots = text.find("..");
  if (dots == std::string::npos || text.size() == 2) return NoRange(text);
  const std::string_view from = std::string_view(text).substr(0, dots);
  const std::string_view to = std::string_view(text).substr(dots + 2);
  const std::optional<HostNs> begin = from.empty() ? 0 : ParseTime(from);
  const std::optional<HostNs> end = to.empty() ? kLatest : ParseTime(to);
  if (!begin || !end) return NoRange(text);
  if (*begin >= *end) {
    return Error{ErrorId::kNoSuchPart, "the range '" + FitEnd(Printable(text), 40) + "' is empty",
                 "write the earlier time first"};
  }
  return TimeRange{*begin, *end};
}

Result<int64_t> ParseStepTime(const std::string& text) {
  const Result<TimeRange> time = ParseTimeRange(".." + text);
  if (time && time->end > 0) return time->end;
  return BadValue("--step-time", "a time", text, "for example 12.5ms, 800us or 1.2s");
}

Result<PartQuery::Steps> ParseSteps(const std::string& text) {
  const size_t dots = text.find("..");
  const std::string_view whole = text;
  const std::optional<uint32_t> first = ParseNumber(whole.substr(0, dots));
  const std::optional<uint32_t> last =
      dots == std::string::npos ? first : ParseNumber(whole.substr(dots + 2));
  if (!first || !last) return NoSteps(text);
  if (*first < 1 || *first > *last) {
    return Error{ErrorId::kNoSuchPart,
                 "the range of steps '" + FitEnd(Printable(text), 40) + "' is empty",
                 "count steps from 1, and write the earlier step first"};
  }
  return PartQuery::Steps{*first, *last};
}

Result<PartQuery> ParsePart(const ParsedOptions& parsed) {
  const char* chosen = nullptr;
  for (const char* name : {"phase", "range", "steps"}) {
    if (!parsed.Has(name)) continue;
    if (chosen != nullptr) {
      return CannotCombine(std::string("--") + chosen, std::string("--") + name);
    }
    chosen = name;
  }
  PartQuery part;
  if (chosen == nullptr) return part;
  const std::string& text = parsed.values.at(chosen);
  if (parsed.Has("phase")) return ParsePhase(text);
  if (parsed.Has("range")) {
    const Result<TimeRange> range = ParseTimeRange(text);
    if (!range) return range.error();
    part.range = *range;
  } else {
    const Result<PartQuery::Steps> steps = ParseSteps(text);
    if (!steps) return steps.error();
    part.steps = *steps;
  }
  return part;
}

}  // namespace gprofx
