// The gprof-x command line: finds the command that the first argument names and runs it.
#pragma once

#include <string>
#include <vector>

namespace gprofx {

// `args` excludes the program name. Returns the exit status; 2 for an unknown command.
int RunCommandLine(const std::vector<std::string>& args);

std::string MainHelp();

}  // namespace gprofx
