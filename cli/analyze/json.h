// Makes the JSON value that `gprof-x analyze --json` prints.
#pragma once

#include "cli/analyze/analyze.h"
#include "cli/json_text.h"

namespace gprofx {

Json AnalysesValue(const AnalysisReport& report);

}  // namespace gprofx
