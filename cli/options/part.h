// Parses the options that select a range of a recording: --phase, --range and --steps. Pure.
#pragma once

#include <string>

#include "cli/options.h"
#include "core/base/result.h"
#include "core/slice/part.h"

namespace gprofx {

// Returns the range that the options select. Without these options, returns the default range.
Result<PartQuery> ParsePart(const ParsedOptions& parsed);

// Parses a range of times such as "12s..15s", "800ms..1.2s", "..2s" or "3s..". A number without a
// unit is in seconds.
Result<TimeRange> ParseTimeRange(const std::string& text);
// Parses the value of --step-time, such as "12.5ms". Returns ns.
Result<int64_t> ParseStepTime(const std::string& text);
// Parses a range of steps, such as "100..200" or "7". Fails for "100..", because the number of
// steps is not known here.
Result<PartQuery::Steps> ParseSteps(const std::string& text);

}  // namespace gprofx
