// gprof-x demo: records a small program that comes with gprof-x, and shows the report, so that the
// picture can be seen before there is anything of one's own to record.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.h"

namespace gprofx {

extern const std::string_view kDemoProgram;  // program.py

std::span<const OptionSpec> DemoOptionSpecs();
std::string DemoHelp();

// Blocks for some seconds. Exit status: 0; 2 where it could not be recorded or shown, with
// one line on stderr.
int RunDemo(const std::vector<std::string>& args);

}  // namespace gprofx
