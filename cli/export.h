// gprof-x export: a profile in the format of another tool.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/options.h"

namespace gprofx {

std::span<const OptionSpec> ExportOptionSpecs();
std::string ExportHelp();

// `args` without "export". Exit status: 0, or 2 with one line on stderr.
int RunExport(const std::vector<std::string>& args);

}  // namespace gprofx
