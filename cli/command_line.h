// Finds the command that the first argument of gprof-x names, and runs it.
#pragma once

#include <string>
#include <vector>

namespace gprofx {

// Runs the command. `args` does not include the program name. Returns the exit status, which is 2
// for an unknown command.
int RunCommandLine(const std::vector<std::string>& args);

std::string MainHelp();

}  // namespace gprofx
