// Text views against tests/data/report/NAME-COLUMNS.txt, at 80 and 120 columns.
// After a wanted change: GPROFX_UPDATE_GOLDENS=1 ctest -R cli, then read the difference before it
// is committed.
#pragma once

#include <string>
#include <vector>

#include "cli/report/report.h"

namespace gprofx::testing {

// The view that `args` ask for, three days after the recording.
std::string RenderView(const Profile& profile, const std::vector<std::string>& args, int columns);

void CheckGolden(const Profile& profile, const std::string& name,
                 const std::vector<std::string>& args);

}  // namespace gprofx::testing
