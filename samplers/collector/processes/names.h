// Makes names for processes. A process that runs a script is named after the script, not after the
// interpreter. Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gprofx {

// Splits a command line at its null bytes: "a\0b\0" gives {"a", "b"}.
std::vector<std::string> SplitCommand(std::string_view command);

// Returns the name of a process. `python3 -u train.py x` is "train.py", `python -m pkg` is "-m
// pkg", and `python -c ...` is "python -c". Any other process has the name of its program. If the
// command line is empty, the result is the base name of `executable`.
std::string ProcessName(std::string_view executable, const std::vector<std::string>& command);

// Returns the rank of the process in a parallel job, as torchrun, mpirun or Slurm set it in the
// environment: "rank 3" or "rank 11 local 3". Returns "" if there is none. `environment` is the
// text of /proc/PID/environ; only the variables for ranks are read from it.
std::string RankInEnvironment(std::string_view environment);

// Formats the command line for a shell: arguments with special characters are quoted.
std::string JoinCommand(const std::vector<std::string>& command);

}  // namespace gprofx
