// gprof-x merge: combines the profiles of many ranks into one file.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/options.h"

namespace gprofx {

std::span<const OptionSpec> MergeOptionSpecs();
std::string MergeHelp();
// Returns 0, or 2 after one line on stderr for each file that was left out; the rest is written.
int RunMerge(const std::vector<std::string>& args);

}  // namespace gprofx
