// gprof-x redact: a profile without what tells whose it is.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/options.h"

namespace gprofx {

std::span<const OptionSpec> RedactOptionSpecs();
std::string RedactHelp();
// Exit status: 0, or 2 with one line on stderr.
int RunRedact(const std::vector<std::string>& args);

}  // namespace gprofx
