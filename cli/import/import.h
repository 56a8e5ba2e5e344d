// gprof-x import: traces of other tools into profiles.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/options.h"

namespace gprofx {

std::span<const OptionSpec> ImportOptionSpecs();
std::string ImportHelp();
// Exit status: 0, or 2 with one line on stderr.
int RunImport(const std::vector<std::string>& args);

}  // namespace gprofx
