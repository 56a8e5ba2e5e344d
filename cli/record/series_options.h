// Reads the options of gprof-x record that request several runs: --sweep, --levels and --repeat.
#pragma once

#include "cli/options.h"
#include "cli/record.h"

namespace gprofx::record {

// Sets `runs`, `of_each` and `compare` of `record`, whose output must already be set. If only one
// run is requested, changes nothing.
Status ReadSeries(const ParsedOptions& parsed, ParsedRecord& record);

}  // namespace gprofx::record
