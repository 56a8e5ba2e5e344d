// Decides whether a command can be profiled, from the program's file before it is started.
//
// Static and privileged programs ignore LD_PRELOAD. The dynamic loader of another architecture or C
// library prints errors about it on the program's stderr. Such programs are started without it. For
// a script, its interpreter is checked, including one level of env(1). Reads a few hundred bytes of
// the file. wire/program_file.h judges ELF files here and in the agent before an exec.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "samplers/wire/not_sampled.h"

namespace gprofx {

enum class Found { kYes, kNotFound, kNotExecutable };

struct Inspection {
  Found found = Found::kYes;
  std::string program;  // path of the file; unchanged if it was not found
  std::string problem;  // if not empty: one line that says why the program cannot be profiled
  // Whether its environment may contain the agent, for children that can be profiled.
  bool preload = true;
  std::optional<wire::NotSampled> reason;  // none if it is sampled, or if the agent in it counts it
};

Inspection InspectCommand(const std::string& command, const std::string& path_variable);

// Result for the first bytes of a file. If `problem` is empty, the agent can run in the program.
struct Verdict {
  std::string problem;  // "is statically linked"
  bool preload = true;
  std::optional<wire::NotSampled> reason;
};
Verdict JudgeElf(std::span<const std::byte> file);

// Returns the interpreter that a "#!" line names, also through env(1): "/usr/bin/python3", or
// "python3" if it must be searched in PATH. Returns "" if there is none.
std::string ScriptInterpreter(std::string_view first_bytes);

}  // namespace gprofx
