// gprof-x completion SHELL: prints the script that completes gprof-x on the command lines of bash,
// zsh or fish. It is made of the option tables that the commands parse with, so it knows what they
// know. Pure but for RunCompletion().
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
  std::string_view words;  // operands to choose from, separated by blanks; "" = files
};

// Nothing for a shell that is not known.
std::optional<std::string> CompletionScript(std::string_view shell,
                                            std::span<const CompletedCommand> commands);

}  // namespace gprofx
