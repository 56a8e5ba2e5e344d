// The options that choose a range of a recording: --phase, --range and --steps. Pure.
#pragma once

#include <string>

#include "cli/options.h"
#include "core/base/result.h"
#include "core/slice/part.h"

namespace gprofx {

// Without these options returns the default range.
Result<PartQuery> ParsePart(const ParsedOptions& parsed);

// Parses "12s..15s", "800ms..1.2s", "..2s" or "3s.."; a number without a unit is seconds.
Result<TimeRange> ParseTimeRange(const std::string& text);
// Parses the value of --step-time: "12.5ms".
Result<int64_t> ParseStepTime(const std::string& text);
// Parses "100..200"; "7" is one step. Refuses "100..": the number of steps is not known here.
Result<PartQuery::Steps> ParseSteps(const std::string& text);

}  // namespace gprofx
