// Decides whether a command can be profiled, from the program's file before it is started.
//
// LD_PRELOAD is ignored by static and privileged programs, and makes the dynamic loader of another
// architecture or C library print errors on the program's stderr. Such programs are started without
// it. A script is followed to its interpreter, including one level of env(1). Reads a few hundred
// bytes of the file. ELF files are judged by wire/program_file.h, as the agent does before an exec.
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
  std::string problem;  // if not empty: why it cannot be profiled, as one line
  bool preload = true;  // the agent may be in its environment (for children that can be profiled)
  std::optional<wire::NotSampled> reason;  // none: it is sampled, or the agent in it counts it
};

Inspection InspectCommand(const std::string& command, const std::string& path_variable);

// The same for the first bytes of a file; an empty problem means that the agent can run in it.
struct Verdict {
  std::string problem;  // "is statically linked"
  bool preload = true;
  std::optional<wire::NotSampled> reason;
};
Verdict JudgeElf(std::span<const std::byte> file);

// Returns the interpreter of a "#!" line, through env(1): "/usr/bin/python3", "python3" (to be
// found in PATH) or "".
std::string ScriptInterpreter(std::string_view first_bytes);

}  // namespace gprofx
