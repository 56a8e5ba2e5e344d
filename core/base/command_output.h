// Runs a command and returns what it prints. The command runs without a shell and without input.
// Blocks until it has ended; any thread.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace gprofx {

struct OutputLimits {
  size_t most = 4096;       // bytes of output; a command that prints more is killed
  bool with_errors = true;  // also return standard error
  // If set, called in the new process before the command is executed. The process then has a nearly
  // empty environment and only the standard descriptors, with standard error in /dev/null. If it
  // returns false, the command is not executed.
  std::function<bool()> confine = nullptr;
};

struct CommandEnd {
  std::string output;
  bool was_killed = false;  // it took too long or printed too much
  bool succeeded = false;   // exited with 0
};

// Runs `command` for at most `milliseconds`. No value if it could not be started.
std::optional<CommandEnd> RunCommand(const std::vector<std::string>& command, int milliseconds,
                                     const OutputLimits& limits = {});
// Returns the output of the command; no value if it failed or was killed.
std::optional<std::string> CommandOutput(const std::vector<std::string>& command, int milliseconds,
                                         const OutputLimits& limits = {});

}  // namespace gprofx
