// The JSON of the views: stable, with a versioned schema name; see "JSON" in gprof-x-report(1).
// Bytes of names that are no UTF-8 become U+FFFD. Times are nanoseconds. Takes a view that was made
// with room for everything.
#pragma once

#include <string>
#include <vector>

#include "cli/json_text.h"
#include "core/views/view.h"

namespace gprofx {

// Of call trees what there is room for.
Json ReportValue(const View& view, const std::vector<std::string>& files, ListRoom& room);
std::string ReportJson(const View& view,
                       const std::vector<std::string>& files);  // the same, as text

}  // namespace gprofx
