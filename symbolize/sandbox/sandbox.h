// Runs untrusted work on modules in child processes with limits.
//
// The child is a fork of the caller (no exec), so it needs no copy of the requests. Its answers
// come back through a socket as framed messages that are checked. A child that dies, hangs or sends
// invalid messages costs the module that it worked on; a new child continues with the next one. A
// child has the rights of one user, so a request with another reader needs a new child. Time and
// memory of all children together are bounded, too. The caller must be single-threaded. Blocking.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "symbolize/sandbox/module_worker.h"

namespace gprofx {

struct ModuleOutcome {
  ModuleNames names;  // only addresses of the request; an empty list = the worker found no name
  std::vector<Witness> witnesses;
  std::vector<std::string> problems;
  bool complete = false;  // the worker finished without a problem
};

struct SandboxOutcome {
  std::vector<ModuleOutcome> modules;  // one per request
  size_t not_reached = 0;  // number of modules not processed because a total limit was reached
};

inline constexpr uint64_t kMaxNameBytes = uint64_t{1} << 30;  // for all names, in memory

using ModuleWork = std::function<void(const SymbolRequest&, const SymbolizeOptions&, NamesSink&)>;

// `work` runs in the child; tests pass their own.
SandboxOutcome RunInSandbox(const std::vector<SymbolRequest>& requests,
                            const SymbolizeOptions& options,
                            const ModuleWork& work = SymbolizeModule);

}  // namespace gprofx
