// gprof-x import: converts traces of other tools to gprof-x profiles.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/options.h"

namespace gprofx {

std::span<const OptionSpec> ImportOptionSpecs();
std::string ImportHelp();
// Returns 0, or 2 after one line on stderr.
int RunImport(const std::vector<std::string>& args);

}  // namespace gprofx
