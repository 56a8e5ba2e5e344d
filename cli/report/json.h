// The JSON of the views: stable, with a versioned schema name; see "JSON" in gprof-x-report(1).
// Bytes of names that are no UTF-8 become U+FFFD. Times are nanoseconds.
#pragma once

#include <string>

#include "cli/report/analysis.h"

namespace gprofx {

Result<std::string> ReportJson(const Analysis& analysis);

}  // namespace gprofx
