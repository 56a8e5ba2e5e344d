// gprof-x export: converts a profile to the format of another tool.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/options.h"

namespace gprofx {

std::span<const OptionSpec> ExportOptionSpecs();
std::string ExportHelp();

// `args` does not include "export". Returns 0, or 2 after one line on stderr.
int RunExport(const std::vector<std::string>& args);

}  // namespace gprofx
