// gprof-x export: converts a profile to the format of another tool.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/options.h"

namespace gprofx {

std::span<const OptionSpec> ExportOptionSpecs();
std::string ExportHelp();

// Runs the command. `args` does not include "export". Returns 0. On failure, prints one line to
// stderr and returns 2.
int RunExport(const std::vector<std::string>& args);

}  // namespace gprofx
