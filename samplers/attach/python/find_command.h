// Finds a process by its command line, for --attach. The choice itself is a pure function.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "samplers/attach/process_handle.h"

namespace gprofx::attach {

struct RunningCommand {
  int64_t pid = 0, parent = 0;
  std::string command;  // words separated by null bytes
};

// Returns all processes except this one. `command` is empty.
std::vector<RunningCommand> RunningProcesses();
// Returns the processes whose command lines can be read, with these. Long command lines are
// truncated.
std::vector<RunningCommand> RunningCommands();

// Returns the one process whose command line contains `wanted` as whole words. If a process and its
// descendants all match, that is the ancestor. If several remain, the error lists them. `parent` is
// the PID of our own parent process. It and its ancestors are never chosen, because in `timeout 9
// gprof-x record --attach train.py` they contain the words, too.
Result<int64_t> ChooseCommand(std::vector<RunningCommand> commands, std::string_view wanted,
                              int64_t parent);

// Does the work of ChooseCommand for the processes that run now. Returns a handle of the chosen
// one.
Result<ProcessHandle> FindCommand(std::string_view wanted, int64_t parent);

// Returns `pid`, followed by the PIDs of all its descendants.
std::vector<int64_t> FamilyOf(const std::vector<RunningCommand>& commands, int64_t pid);

}  // namespace gprofx::attach
