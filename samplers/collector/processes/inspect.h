// Can this command be profiled? Looks at the program's file before it is started.
//
// LD_PRELOAD is ignored by static and privileged programs, and makes the dynamic loader of another
// architecture or C library complain on the program's own stderr: those are started without it. A
// script is followed to its interpreter, one level of env(1) included. Reads a few hundred bytes of
// the file. What an ELF file says is judged by wire/program_file.h, as the agent does before an
// exec.
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
  std::string program;  // the file; unchanged if it was not found
  std::string problem;  // not empty: cannot be profiled, and why, as one line
  bool preload = true;  // the agent may be in its environment (for children that can be profiled)
  std::optional<wire::NotSampled> reason;  // none: it is sampled, or the agent in it counts it
};

Inspection InspectCommand(const std::string& command, const std::string& path_variable);

// The same for the first bytes of a file: nothing if the agent can live in it.
struct Verdict {
  std::string problem;  // "is statically linked"
  bool preload = true;
  std::optional<wire::NotSampled> reason;
};
Verdict JudgeElf(std::span<const std::byte> file);

// Interpreter of a "#!" line, through env(1): "/usr/bin/python3", "python3" (to be found in PATH)
// or "".
std::string ScriptInterpreter(std::string_view first_bytes);

}  // namespace gprofx
