// Addresses to names. Nobody else includes libdw.
//
// SymbolizeModules runs the work in a child process with memory and time limits: a hostile or
// broken ELF costs one module's names and a line in `problems`, nothing else. Where the kernel has
// no such confinement, no file is opened. Answers are cached under $XDG_CACHE_HOME/gprof-x.
//
// The recorded program chooses the files. When it belongs to another user than the recorder, they
// are opened with that user's rights (SymbolRequest::reader): their names must not reveal what he
// may not read. Such answers are never cached, because the cache serves recordings of other users.
//
// Blocking, call from one thread. The address is an offset from the load bias (an ELF virtual
// address).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/model/resolve.h"

namespace gprofx {

// A user whose rights open files: without capabilities.
struct FileReader {
  uid_t user = 0;
  gid_t group = 0;
  std::vector<gid_t> groups = {};  // supplementary
  bool operator==(const FileReader&) const = default;
};
// Reads what everybody may read.
inline const FileReader kAnybody{65534, 65534};

struct SymbolRequest {
  std::string path;      // as the target saw it
  std::string build_id;  // lower-case hex, may be empty; a file with another id is not used
  std::vector<uint64_t> addresses;
  std::optional<FileReader> reader = {};  // none: the caller's own rights; else the caller is root
};

struct SymbolizeOptions {
  bool use_cache = true;
  bool lines = true;  // false: functions alone, from symbol tables; nothing is kept in the cache
  bool use_debuginfod = false;  // asks the servers of $DEBUGINFOD_URLS
  std::string foreign_helper;   // path of gprofx-foreign, for debuginfod
  std::vector<std::string> debug_folders = {"/usr/lib/debug"};
  uint64_t memory_limit = uint64_t{2} << 30;  // RLIMIT_AS of the child, on top of the launcher's
  int module_seconds = 10;                    // wall time one module may take
  int total_seconds = 120;                    // ... and all of them, without debuginfod's part
};

struct SymbolizeAnswer {
  std::vector<ModuleNames> names;  // one per request, in order; addresses without a name are absent
  std::vector<std::string> problems;  // one line each: module and what went wrong
  size_t not_reached = 0;             // modules without names because a limit of the whole was hit
};

SymbolizeAnswer SymbolizeModules(const std::vector<SymbolRequest>& requests,
                                 const SymbolizeOptions& options);

}  // namespace gprofx
