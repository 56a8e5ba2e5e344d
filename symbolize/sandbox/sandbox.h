// Runs untrusted work on modules in child processes with limits.
//
// A child is a fork of the caller, without exec, and therefore has the requests in its memory. It
// sends its answers through a socket, as messages that the parent checks. If a child dies, hangs or
// sends an invalid message, the module that it worked on gets no further names, and a new child
// continues with the next module. A child has the rights of one user, so requests with another
// reader need another child. The time and memory of all children together are bounded, too. The
// caller must be single-threaded. Blocking.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "symbolize/sandbox/module_worker.h"

namespace gprofx {

struct ModuleOutcome {
  ModuleNames names;  // only requested addresses; an empty list = no name found
  std::vector<Witness> witnesses;
  std::vector<std::string> problems;
  bool complete = false;  // the worker finished without a problem
};

struct SandboxOutcome {
  std::vector<ModuleOutcome> modules;  // one per request
  size_t not_reached = 0;  // number of modules not processed, because a total limit was reached
};

// Maximum memory of all names together.
inline constexpr uint64_t kMaxNameBytes = uint64_t{1} << 30;

using ModuleWork = std::function<void(const SymbolRequest&, const SymbolizeOptions&, NamesSink&)>;

// Runs `work` for each request, in child processes. Tests pass their own `work`.
SandboxOutcome RunInSandbox(const std::vector<SymbolRequest>& requests,
                            const SymbolizeOptions& options,
                            const ModuleWork& work = SymbolizeModule);

}  // namespace gprofx
