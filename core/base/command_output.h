// Runs a command and reads what it prints. No shell; no input. Blocks; any thread.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace gprofx {

struct OutputLimits {
  size_t most = 4096;       // bytes; a command that prints more is killed
  bool with_errors = true;  // include standard error
  // Called in the new process, with a nearly empty environment and only the standard descriptors
  // open. Returns false to not execute the command.
  std::function<bool()> confine = nullptr;
};

struct CommandEnd {
  std::string output;
  bool was_killed = false;  // it took too long or printed too much
  bool succeeded = false;   // exited with 0
};

// Runs `command` for at most `milliseconds`. No value: it could not be started.
std::optional<CommandEnd> RunCommand(const std::vector<std::string>& command, int milliseconds,
                                     const OutputLimits& limits = {});
// Returns the output of a command that succeeded.
std::optional<std::string> CommandOutput(const std::vector<std::string>& command, int milliseconds,
                                         const OutputLimits& limits = {});

}  // namespace gprofx
