// gprof-x completion SHELL: prints a completion script for bash, zsh or fish. The script is made
// from the option tables with which the commands parse their options, so it is always complete.
// Pure, except RunCompletion().
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.h"

namespace gprofx {

struct CompletedCommand {
  std::string_view name, help;
  std::span<const OptionSpec> options;
  std::string_view words;  // the possible operands, separated by blanks; "" = files
};

// Returns the completion script. Returns nullopt for an unknown shell.
std::optional<std::string> CompletionScript(std::string_view shell,
                                            std::span<const CompletedCommand> commands);

}  // namespace gprofx
