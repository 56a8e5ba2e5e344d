// The options that choose a part of a recording: --phase, --range and --steps. Pure.
#pragma once

#include <string>

#include "cli/options.h"
#include "core/base/result.h"
#include "core/slice/part.h"

namespace gprofx {

// Nothing of them given: what is usually shown.
Result<PartQuery> ParsePart(const ParsedOptions& parsed);

// "12s..15s", "800ms..1.2s", "..2s", "3s.."; a number without a unit is seconds.
Result<TimeRange> ParseTimeRange(const std::string& text);
// The value of --step-time: "12.5ms".
Result<int64_t> ParseStepTime(const std::string& text);
// "100..200", "100.." is refused: how many there are is not known here; "7" is one step.
Result<PartQuery::Steps> ParseSteps(const std::string& text);

}  // namespace gprofx
