// Translates addresses to names. No other module includes libdw.
//
// SymbolizeModules does the work in a child process with memory and time limits. A hostile or
// broken ELF file costs only the names of one module; SymbolizeAnswer::problems then has a line
// about it. If the kernel does not support this confinement, no file is opened. Answers are cached
// under $XDG_CACHE_HOME/gprof-x.
//
// The recorded program determines which files are opened. If it belongs to another user than the
// recorder, they are opened with the rights of that user (SymbolRequest::reader). With the
// recorder's rights, names could reveal content of files that this user may not read. Such answers
// are never cached, because the cache serves recordings of other users, too.
//
// Blocking; call from one thread. An address is an offset from the load bias (an ELF virtual
// address).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/model/resolve.h"

namespace gprofx {

// A user with whose rights files are opened. No capabilities are used.
struct FileReader {
  uid_t user = 0;
  gid_t group = 0;
  std::vector<gid_t> groups = {};  // supplementary groups
  bool operator==(const FileReader&) const = default;
};
// A user that can read only files that everybody can read.
inline const FileReader kAnybody{65534, 65534};

struct SymbolRequest {
  std::string path;      // path in the recorded process
  std::string build_id;  // lower-case hex or empty; files with another id are not used
  std::vector<uint64_t> addresses;
  // If set, files are opened with the rights of this user, and the caller must be root. If unset,
  // with the caller's own rights.
  std::optional<FileReader> reader = {};
};

struct SymbolizeOptions {
  bool use_cache = true;
  bool lines = true;            // false: only functions from symbol tables; answers are not cached
  bool use_debuginfod = false;  // query the servers of $DEBUGINFOD_URLS
  std::string foreign_helper;   // path of gprofx-foreign, for debuginfod
  std::vector<std::string> debug_folders = {"/usr/lib/debug"};
  // Address space (RLIMIT_AS) of the child, in addition to what the launcher has mapped.
  uint64_t memory_limit = uint64_t{2} << 30;
  int module_seconds = 10;  // maximum wall time for a module
  int total_seconds = 120;  // maximum for all modules, without the time for debuginfod
};

struct SymbolizeAnswer {
  std::vector<ModuleNames> names;  // one per request, in order; addresses without a name are absent
  std::vector<std::string> problems;  // one line each: the module and what went wrong
  size_t not_reached = 0;  // number of modules without names, because a total limit was reached
};

SymbolizeAnswer SymbolizeModules(const std::vector<SymbolRequest>& requests,
                                 const SymbolizeOptions& options);

}  // namespace gprofx
