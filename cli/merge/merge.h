// gprof-x merge: combines the profiles of many ranks into one file.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/options.h"

namespace gprofx {

std::span<const OptionSpec> MergeOptionSpecs();
std::string MergeHelp();
// Merges the profiles. Returns 0, or 2 if files were left out: each is one line on stderr, and the
// rest is written.
int RunMerge(const std::vector<std::string>& args);

}  // namespace gprofx
