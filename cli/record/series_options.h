// The options of gprof-x record that ask for several runs: --sweep, --levels, --repeat.
#pragma once

#include "cli/options.h"
#include "cli/record.h"

namespace gprofx::record {

// Sets runs, of_each and compare of `record`, whose output is known; unchanged where one run is
// asked for.
Status ReadSeries(const ParsedOptions& parsed, ParsedRecord& record);

}  // namespace gprofx::record
