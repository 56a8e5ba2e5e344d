// gprof-x redact: writes a copy of a profile without what identifies its owner.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/options.h"

namespace gprofx {

std::span<const OptionSpec> RedactOptionSpecs();
std::string RedactHelp();
// Runs the command. Returns 0. On failure, prints one line to stderr and returns 2.
int RunRedact(const std::vector<std::string>& args);

}  // namespace gprofx
