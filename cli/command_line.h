// gprof-x itself: finds the command that the first argument names and runs it.
#pragma once

#include <string>
#include <vector>

namespace gprofx {

// `args` without the program's name. Returns the exit status; an unknown command is 2.
int RunCommandLine(const std::vector<std::string>& args);

std::string MainHelp();

}  // namespace gprofx
