// What a process is called: the script rather than the interpreter. Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gprofx {

// "a\0b\0" -> {"a", "b"}
std::vector<std::string> SplitCommand(std::string_view command);

// `python3 -u train.py x` -> "train.py", `python -m pkg` -> "-m pkg", `python -c ...` -> "python
// -c"; anything else -> the program's own name. `executable` is used when the command line is
// empty.
std::string ProcessName(std::string_view executable, const std::vector<std::string>& command);

// The rank among the processes of a parallel job, as torchrun, mpirun or Slurm put it into the
// environment: "rank 3", "rank 11 local 3"; "" for none. The text is that of /proc/PID/environ; no
// more of it is looked at than these variables.
std::string RankInEnvironment(std::string_view environment);

// The command line as a shell would take it: arguments with special characters are quoted.
std::string JoinCommand(const std::vector<std::string>& command);

}  // namespace gprofx
