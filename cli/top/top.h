// gprof-x top: shows where a running program spends its time now.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/options.h"

namespace gprofx {

inline constexpr char kTopCommand[] = "gprof-x top";

// Runs the command. `args` does not include "top". Returns the exit status (man gprof-x-top).
int RunTop(const std::vector<std::string>& args);

std::span<const OptionSpec> TopOptionSpecs();

}  // namespace gprofx
