// Text views against tests/data/report/NAME-COLUMNS.txt, at 80 and 120 columns.
// After a wanted change: GPROFX_UPDATE_GOLDENS=1 ctest -R cli, then read the difference before it
// is committed.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/report/report.h"

namespace gprofx::testing {

// What a timeline is made of, for as many bins as the screen has room for.
using MakeBins = std::function<TimelineBins(size_t bins)>;

// The view that `args` ask for, three days after the recording.
std::string RenderView(const Profile& profile, const std::vector<std::string>& args, int columns,
                       const MakeBins& make_bins = nullptr);

void CheckGolden(const Profile& profile, const std::string& name,
                 const std::vector<std::string>& args, const MakeBins& make_bins = nullptr);

}  // namespace gprofx::testing
