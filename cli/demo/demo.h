// gprof-x demo: records a small program that comes with gprof-x and shows the report. Users can
// thus see a report before they record their own program.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.h"

namespace gprofx {

extern const std::string_view kDemoProgram;  // the content of program.py

std::span<const OptionSpec> DemoOptionSpecs();
std::string DemoHelp();

// Records the program and shows the report, which takes some seconds. Returns 0. On failure, prints
// one line to stderr and returns 2.
int RunDemo(const std::vector<std::string>& args);

}  // namespace gprofx
