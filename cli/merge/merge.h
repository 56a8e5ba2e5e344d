// gprof-x merge: the profiles of many ranks as one file.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/options.h"

namespace gprofx {

std::span<const OptionSpec> MergeOptionSpecs();
std::string MergeHelp();
// Exit status: 0; 2 with a line on stderr for each file that was left out, the rest is written.
int RunMerge(const std::vector<std::string>& args);

}  // namespace gprofx
