// The output of `gprof-x analyze --json`, as a value.
#pragma once

#include "cli/analyze/analyze.h"
#include "cli/json_text.h"

namespace gprofx {

Json AnalysesValue(const AnalysisReport& report);

}  // namespace gprofx
