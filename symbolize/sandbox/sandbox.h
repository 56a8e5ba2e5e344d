// Runs untrusted work on modules in child processes with limits.
//
// The child is a fork of the caller (no exec): it needs no copy of the requests, and its answers
// come back through a socket as framed messages that are checked. A child that dies, hangs or talks
// nonsense costs the module that it worked on; a new child goes on with the next one. A child has
// the rights of one user: a change of the requests' reader means a new one. Time and memory of all
// of them together are bounded, too. The caller must have one thread only. Blocking.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "symbolize/sandbox/module_worker.h"

namespace gprofx {

struct ModuleOutcome {
  ModuleNames
      names;  // addresses of the request only; an empty list = the worker says there is no name
  std::vector<Witness> witnesses;
  std::vector<std::string> problems;
  bool complete = false;  // the worker came to its end without a problem
};

struct SandboxOutcome {
  std::vector<ModuleOutcome> modules;  // one per request
  size_t not_reached = 0;              // of those, because a limit of the whole was hit first
};

inline constexpr uint64_t kMaxNameBytes = uint64_t{1} << 30;  // of all names, in memory

using ModuleWork = std::function<void(const SymbolRequest&, const SymbolizeOptions&, NamesSink&)>;

// `work` runs in the child; tests put their own there.
SandboxOutcome RunInSandbox(const std::vector<SymbolRequest>& requests,
                            const SymbolizeOptions& options,
                            const ModuleWork& work = SymbolizeModule);

}  // namespace gprofx
