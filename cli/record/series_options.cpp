#include "cli/record/series_options.h"

#include <initializer_list>

#include "cli/command.h"
#include "cli/record/leveled.h"
#include "cli/record/sweep.h"

namespace gprofx::record {
namespace {

constexpr size_t kUsualRepeat = 5, kMaxRepeat = 1000;

// Adds the options that do not concern the series to the options of every run.
void PassOptions(const ParsedOptions& parsed, ParsedRecord& record) {
  for (const auto& [name, value] : parsed.values) {
    if (name == "sweep" || name == "levels" || name == "repeat" || name == "output") continue;
    record.of_each.push_back("--" + name);
    if (FindOption(RecordOptionSpecs(), name)->value != nullptr) record.of_each.push_back(value);
  }
}

Status Exclude(const ParsedOptions& parsed, const std::string& name,
               std::initializer_list<const char*> others) {
  for (const char* other : others) {
    if (!parsed.Has(other)) continue;
    return CannotCombine("--" + name, std::string("--") + other);
  }
  return Ok();
}

Status ReadSweep(const ParsedOptions& parsed, ParsedRecord& record) {
  const auto it = parsed.values.find("sweep");
  if (it == parsed.values.end()) return Ok();
  if (Status alone = Exclude(parsed, "sweep", {"label", "control"}); !alone) return alone;
  const Result<Sweep> sweep = ParseSweep(it->second);
  if (!sweep) return sweep.error();
  record.runs = RunsOf(*sweep, record.options.output);
  record.compare = {"gprof-x", "analyze", "A1", "A15"};
  return Ok();
}

Status ReadLevels(const ParsedOptions& parsed, ParsedRecord& record) {
  const auto it = parsed.values.find("levels");
  const auto times = parsed.values.find("repeat");
  if (it == parsed.values.end()) {
    if (times == parsed.values.end()) return Ok();
    return NeedsOption("--repeat", "--levels");
  }
  if (Status alone = Exclude(parsed, "levels",
                             {"sweep", "label", "control", "gpu", "overhead", "frequency", "clock",
                              "delay", "duration", "counters"});
      !alone) {
    return alone;
  }
  const Result<std::vector<std::string>> levels = ParseLevels(it->second);
  if (!levels) return levels.error();
  size_t repeat = kUsualRepeat;
  if (times != parsed.values.end()) {
    const Result<size_t> count = ParseCount("--repeat", times->second, kMaxRepeat);
    if (!count) return count.error();
    repeat = *count;
  }
  record.runs = RunsOf(*levels, repeat, record.options.output);
  record.compare = {"gprof-x", "analyze", "leveled_runs"};
  return Ok();
}

}  // namespace

Status ReadSeries(const ParsedOptions& parsed, ParsedRecord& record) {
  if (Status read = ReadSweep(parsed, record); !read) return read;
  if (Status read = ReadLevels(parsed, record); !read) return read;
  if (!record.runs.empty()) PassOptions(parsed, record);
  return Ok();
}

}  // namespace gprofx::record
