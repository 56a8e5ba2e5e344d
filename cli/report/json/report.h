// Makes the JSON of views. It is stable and names the version of its schema; see "JSON" in
// gprof-x-report(1). Bytes of names that are not UTF-8 become U+FFFD. Times are nanoseconds. The
// view must have been made without limits on rows.
#pragma once

#include <string>
#include <vector>

#include "cli/json_text.h"
#include "core/views/view.h"

namespace gprofx {

// Returns the JSON value of a view. `room` limits the size of call trees.
Json ReportValue(const View& view, const std::vector<std::string>& files, ListRoom& room);
std::string ReportJson(const View& view,
                       const std::vector<std::string>& files);  // the same as text

}  // namespace gprofx
