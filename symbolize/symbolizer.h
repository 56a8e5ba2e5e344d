// Translates addresses to names. No other module includes libdw.
//
// SymbolizeModules runs the work in a child process with memory and time limits: a hostile or
// broken ELF file costs one module's names and a line in `problems`, nothing else. If the kernel
// does not support this confinement, no file is opened. Answers are cached under
// $XDG_CACHE_HOME/gprof-x.
//
// The recorded program chooses the files. If it belongs to another user than the recorder, they are
// opened with that user's rights (SymbolRequest::reader): file names must not reveal content that
// the user may not read. Such answers are never cached, because the cache serves recordings of
// other users.
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

// A user whose rights are used to open files, without capabilities.
struct FileReader {
  uid_t user = 0;
  gid_t group = 0;
  std::vector<gid_t> groups = {};  // supplementary
  bool operator==(const FileReader&) const = default;
};
// A user that can read only world-readable files.
inline const FileReader kAnybody{65534, 65534};

struct SymbolRequest {
  std::string path;      // as the target sees it
  std::string build_id;  // lower-case hex, may be empty; a file with another id is not used
  std::vector<uint64_t> addresses;
  std::optional<FileReader> reader = {};  // unset: the caller's own rights; else it must be root
};

struct SymbolizeOptions {
  bool use_cache = true;
  bool lines = true;            // false: only functions, from symbol tables; nothing is cached
  bool use_debuginfod = false;  // query the servers of $DEBUGINFOD_URLS
  std::string foreign_helper;   // path of gprofx-foreign, for debuginfod
  std::vector<std::string> debug_folders = {"/usr/lib/debug"};
  uint64_t memory_limit = uint64_t{2} << 30;  // RLIMIT_AS of the child, on top of the launcher's
  int module_seconds = 10;                    // maximum wall time for one module
  int total_seconds = 120;                    // maximum for all modules, without debuginfod
};

struct SymbolizeAnswer {
  std::vector<ModuleNames> names;  // one per request, in order; addresses without a name are absent
  std::vector<std::string> problems;  // one line each: module and what went wrong
  size_t not_reached = 0;             // modules without names because a total limit was reached
};

SymbolizeAnswer SymbolizeModules(const std::vector<SymbolRequest>& requests,
                                 const SymbolizeOptions& options);

}  // namespace gprofx
