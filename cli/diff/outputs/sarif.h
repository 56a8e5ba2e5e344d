// Formats notices of any source as SARIF 2.1.0. Pure.
#pragma once

#include <string>
#include <vector>

#include "cli/diff/outputs/notices.h"
#include "cli/diff/outputs/place.h"
#include "cli/json_text.h"

namespace gprofx {

// Returns the notices as SARIF. `notices` must be sorted, most important first. `warnings` are the
// ids of the rules with level "warning". `properties` are those of the run.
std::string NoticesSarif(const std::vector<Notice>& notices, const std::vector<NoticeRule>& rules,
                         const std::vector<std::string>& warnings, const Json& properties,
                         const OutputPlace& place);

}  // namespace gprofx
