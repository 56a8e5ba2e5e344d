// gprof-x demo: records a small program that comes with gprof-x and shows the report. Users can
// thus see a report before they record their own program.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.h"

namespace gprofx {

extern const std::string_view kDemoProgram;  // the text of program.py

std::span<const OptionSpec> DemoOptionSpecs();
std::string DemoHelp();

// Records and shows; takes some seconds. Returns 0, or 2 after one line on stderr if that failed.
int RunDemo(const std::vector<std::string>& args);

}  // namespace gprofx
