// Processes by their command line, for --attach. The choice is pure.
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
  std::string command;  // words with null bytes between
};

// Every process but this one, without its command line.
std::vector<RunningCommand> RunningProcesses();
// Those whose command line may be read, with it; of a long one only the beginning.
std::vector<RunningCommand> RunningCommands();

// The one process whose command line has `wanted` in it, whole words at both ends. Of a process and
// its descendants that all match, the ancestor is meant. Several: the error lists them. Never
// `parent`, ours, and those that it descends from: a `timeout 9 gprof-x record --attach train.py`
// has the words, too.
Result<int64_t> ChooseCommand(std::vector<RunningCommand> commands, std::string_view wanted,
                              int64_t parent);

// The same of what runs now, held.
Result<ProcessHandle> FindCommand(std::string_view wanted, int64_t parent);

// `pid` and all its descendants, it first.
std::vector<int64_t> FamilyOf(const std::vector<RunningCommand>& commands, int64_t pid);

}  // namespace gprofx::attach
