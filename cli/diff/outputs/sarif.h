// Formats notices of any source as SARIF 2.1.0. Pure.
#pragma once

#include <string>
#include <vector>

#include "cli/diff/outputs/notices.h"
#include "cli/diff/outputs/place.h"
#include "cli/json_text.h"

namespace gprofx {

// `notices`: most important first. `warnings`: rules whose level is "warning". `properties`: of the
// run.
std::string NoticesSarif(const std::vector<Notice>& notices, const std::vector<NoticeRule>& rules,
                         const std::vector<std::string>& warnings, const Json& properties,
                         const OutputPlace& place);

}  // namespace gprofx
