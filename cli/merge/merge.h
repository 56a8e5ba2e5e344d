// gprof-x merge: combines the profiles of many ranks into one file.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/options.h"

namespace gprofx {

std::span<const OptionSpec> MergeOptionSpecs();
std::string MergeHelp();
// Merges the profiles. Returns 0. If files had to be left out, prints one line to stderr for each,
// writes the rest and returns 2.
int RunMerge(const std::vector<std::string>& args);

}  // namespace gprofx
