// gprof-x redact: writes a copy of a profile without what identifies its owner.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/options.h"

namespace gprofx {

std::span<const OptionSpec> RedactOptionSpecs();
std::string RedactHelp();
// Returns 0, or 2 after one line on stderr.
int RunRedact(const std::vector<std::string>& args);

}  // namespace gprofx
