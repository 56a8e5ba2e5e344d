// Decides whether a command can be profiled, from the program's file before it is started.
//
// Static and privileged programs ignore LD_PRELOAD. The dynamic loader of another architecture or C
// library prints errors about it on the program's stderr. Such programs are started without it. For
// a script, its interpreter is checked, also behind one level of env(1). Reads a few hundred bytes
// of the file. wire/program_file.h judges ELF files, here and in the agent before an exec.
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
  std::string program;  // path of the program's file; as given if it was not found
  std::string problem;  // one line that says why the program cannot be profiled; empty if it can
  // Whether the program's environment may contain the agent. Children that can be profiled then get
  // it.
  bool preload = true;
  // None if the program is sampled, or if the agent in it counts it.
  std::optional<wire::NotSampled> reason;
};

Inspection InspectCommand(const std::string& command, const std::string& path_variable);

// Result of examining the first bytes of a file. If `problem` is empty, the agent can run in the
// program.
struct Verdict {
  std::string problem;  // such as "is statically linked"
  bool preload = true;
  std::optional<wire::NotSampled> reason;
};
Verdict JudgeElf(std::span<const std::byte> file);

// Returns the interpreter that a "#!" line names, also behind env(1). That is "/usr/bin/python3",
// or "python3" if it must be searched in PATH. Returns "" if there is no such line.
std::string ScriptInterpreter(std::string_view first_bytes);

}  // namespace gprofx
