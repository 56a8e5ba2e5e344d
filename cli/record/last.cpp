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
    if (!rule) return Error{Printable(rule.error().Text()), ""};
    if (rule->what == recorder::WhenWhat::kGpuIdle &&
        (options.gpu.budget != 0 || options.gpu.choice == GpuChoice::kOff)) {
      return Error{"--when gpu_idle needs records of the GPU all the time", "add --overhead none"};
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
    return Error{"--when is given without --last", "say how much to keep, such as --last 5m"};
  }
  constexpr double kMin = 5e9, kMax = 24 * 3600e9;
  const auto span = recorder::ParseSpan(it->second);
  if (!span || *span < kMin || *span > kMax) {
    return Error{"--last cannot be '" + Printable(it->second) + "'",
                 "it takes 5s to 24h, such as 90s, 5m or 2h"};
  }
  options.last = static_cast<HostNs>(*span);
  for (const char* other : {"memory", "counters", "sweep", "levels", "delay"}) {
    const auto given = parsed.values.find(other);
    if (given != parsed.values.end() && given->second != "no")
      return Error{"--" + std::string(other) + " cannot be with --last", "leave one of them out"};
  }
  if (!options.timeline)
    return Error{"--last needs the time of each sample", "leave --timeline no out"};
  if (options.gpu.choice == GpuChoice::kPc)
    return Error{"--gpu pc cannot be with --last: its samples have no time", "say --gpu trace"};
  if (options.gpu.choice == GpuChoice::kAuto) options.gpu.choice = GpuChoice::kTrace;
  return ReadRules(parsed, options);
}

}  // namespace gprofx::record
