// gprof-x top: where the time of a running program goes, now.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/options.h"

namespace gprofx {

// `args` are those behind "top". Returns the exit status (man gprof-x-top).
int RunTop(const std::vector<std::string>& args);

std::span<const OptionSpec> TopOptionSpecs();

}  // namespace gprofx
