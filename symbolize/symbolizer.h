// Addresses to names. Nobody else includes libdw.
//
// SymbolizeModules runs the work in a child process with memory and time limits: a hostile or
// broken ELF costs one module's names and a line in `problems`, nothing else. Answers are cached by
// build-id under $XDG_CACHE_HOME/gprof-x. Blocking, call from one thread. The address is an offset
// from the load bias (an ELF virtual address).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/resolve.h"

namespace gprofx {

struct SymbolRequest {
  std::string path;      // as the target saw it
  std::string build_id;  // lower-case hex, may be empty; a file with another id is not used
  std::vector<uint64_t> addresses;
};

struct SymbolizeOptions {
  bool use_cache = true;
  bool lines = true;  // false: functions alone, from symbol tables; nothing is kept in the cache
  bool use_debuginfod = false;  // asks the servers of $DEBUGINFOD_URLS
  std::string foreign_helper;   // path of gprofx-foreign, for debuginfod
  std::vector<std::string> debug_folders = {"/usr/lib/debug"};
  uint64_t memory_limit = uint64_t{2} << 30;  // RLIMIT_AS of the child, on top of the launcher's
  int module_seconds = 10;                    // wall time one module may take
};

struct SymbolizeAnswer {
  std::vector<ModuleNames> names;  // one per request, in order; addresses without a name are absent
  std::vector<std::string> problems;  // one line each: module and what went wrong
};

SymbolizeAnswer SymbolizeModules(const std::vector<SymbolRequest>& requests,
                                 const SymbolizeOptions& options);

}  // namespace gprofx
