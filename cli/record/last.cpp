#include "cli/record/last.h"

#include <string>
#include <utility>

#include "cli/terminal/text.h"

namespace gprofx::record {
namespace {

Status ReadRules(const ParsedOptions& parsed, recorder::RecordOptions& options) {
  const auto rules = parsed.lists.find("when");
  if (rules == parsed.lists.end()) return Ok();
  for (const std::string& text : rules->second) {
    auto rule = recorder::ParseWhen(text);
    if (!rule) return Error{rule.error().id, Printable(rule.error().Text()), ""};
    if (rule->what == recorder::WhenWhat::kGpuIdle &&
        (options.gpu.budget != 0 || options.gpu.choice == GpuChoice::kOff)) {
      return Error{ErrorId::kMissingOption,
                   "option '--when gpu_idle' needs option '--overhead none'",
                   "add it: GPU idle time is known only if all GPU work is recorded"};
    }
    options.when.push_back(std::move(*rule));
  }
  return Ok();
}

}  // namespace

Status ReadLast(const ParsedOptions& parsed, recorder::RecordOptions& options) {
  const auto it = parsed.values.find("last");
  if (it == parsed.values.end()) {
    if (!parsed.lists.contains("when")) return Ok();
    return NeedsOption("--when", "--last", "say how much to keep, for example --last 5m");
  }
  constexpr double kMin = 5e9, kMax = 24 * 3600e9;
  const auto span = recorder::ParseSpan(it->second);
  if (!span || *span < kMin || *span > kMax) {
    return BadValue("--last", "a time from 5s to 24h", it->second, "for example 90s, 5m or 2h");
  }
  options.last = static_cast<HostNs>(*span);
  for (const char* other : {"memory", "counters", "sweep", "levels", "delay"}) {
    const auto given = parsed.values.find(other);
    if (given != parsed.values.end() && given->second != "no") {
      return CannotCombine("--" + std::string(other), "--last");
    }
  }
  if (!options.timeline) {
    return CannotCombine("--last", "--timeline no",
                         "leave '--timeline no' out: --last needs the time of each sample");
  }
  if (options.gpu.choice == GpuChoice::kPc) {
    return CannotCombine("--last", "--gpu pc", "use --gpu trace: samples of --gpu pc have no time");
  }
  if (options.gpu.choice == GpuChoice::kAuto) options.gpu.choice = GpuChoice::kTrace;
  return ReadRules(parsed, options);
}

}  // namespace gprofx::record
