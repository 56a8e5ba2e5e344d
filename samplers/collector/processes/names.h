// Names processes: by the script rather than by the interpreter. Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gprofx {

// "a\0b\0" -> {"a", "b"}
std::vector<std::string> SplitCommand(std::string_view command);

// `python3 -u train.py x` -> "train.py", `python -m pkg` -> "-m pkg", `python -c ...` -> "python
// -c"; anything else -> the program's own name. `executable` is used if the command line is empty.
std::string ProcessName(std::string_view executable, const std::vector<std::string>& command);

// Returns the rank among the processes of a parallel job, as torchrun, mpirun or Slurm set it in
// the environment: "rank 3", "rank 11 local 3"; "" for none. `environment` is the text of
// /proc/PID/environ; only these variables are read from it.
std::string RankInEnvironment(std::string_view environment);

// Formats the command line for a shell: arguments with special characters are quoted.
std::string JoinCommand(const std::vector<std::string>& command);

}  // namespace gprofx
