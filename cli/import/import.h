// gprof-x import: converts traces of other tools to gprof-x profiles.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/options.h"

namespace gprofx {

std::span<const OptionSpec> ImportOptionSpecs();
std::string ImportHelp();
// Runs the command. Returns 0. On failure, prints one line to stderr and returns 2.
int RunImport(const std::vector<std::string>& args);

}  // namespace gprofx
