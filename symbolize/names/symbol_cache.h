// Answers of earlier runs, one file per build-id and path under $XDG_CACHE_HOME/gprof-x/symbols.
//
// Anybody can give a file the build-id of another one. So an entry holds for one path, and only
// while the same inode is there, not changed since (device, inode, size, mtime and ctime); the same
// goes for each debug file, and for each place where one was missing. "Has no name" is remembered
// too. Requests with a reader are neither answered nor kept (symbolizer.h).
//
// The folder and its files belong to the user, modes 0700 and 0600. Nothing is done in a place that
// another user could have made. Files carry a checksum and are replaced by rename; a damaged or
// foreign one counts as none. Errors are silent: a cache that does not work costs time, not names.
// Several processes may use it at once (the last writer wins). Blocking.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "symbolize/dwarf/debug_files.h"
#include "symbolize/symbolizer.h"

namespace gprofx {

struct CachedNames {
  Witness module;  // the file that was read
  std::vector<Witness> witnesses;
  ModuleNames names;
};

class SymbolCache {
 public:
  static constexpr uint64_t kQuota = uint64_t{512} << 20;

  // The cache of this user, in `folder` (made on the first write). An empty folder: no cache,
  // everything is a miss.
  explicit SymbolCache(std::string folder, uint64_t quota = kQuota)
      : folder_(std::move(folder)), quota_(quota) {}

  // From $XDG_CACHE_HOME or $HOME; empty if neither is an absolute path.
  static std::string DefaultFolder();

  // What is known and still holds; an empty object if nothing.
  CachedNames Load(const SymbolRequest& request, const SymbolizeOptions& options) const;

  // Adds to what is stored if that still holds, else replaces it. `fresh.module` was looked at
  // before the file was read: nothing is kept if another one is there by now.
  void Store(const SymbolRequest& request, const SymbolizeOptions& options,
             CachedNames fresh) const;

 private:
  UniqueFd OpenFolder(bool make) const;
  void DropOldest(int folder) const;

  std::string folder_;
  uint64_t quota_;
};

}  // namespace gprofx
