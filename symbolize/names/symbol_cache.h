// Names found in earlier runs, one file per build-id and path under
// $XDG_CACHE_HOME/gprof-x/symbols.
//
// Anybody can give a file the build-id of another one. So an entry is valid for one path only, and
// only while the same inode is there, unchanged (device, inode, size, mtime and ctime). The same
// holds for each debug file, and for each path where a debug file was missing. "Has no name" is
// cached too. Requests with SymbolRequest::reader set (symbolizer.h) are neither answered nor
// cached.
//
// The directory and its files belong to the user, with modes 0700 and 0600. The cache is not used
// in a place that another user could have created. Files carry a checksum and are replaced by
// rename; a damaged or foreign file is ignored. Errors are silent: a broken cache costs time, not
// names. Several processes may use the cache at once (the last writer wins). Blocking.
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

  // The cache of this user, in `folder` (created on the first write). With an empty `folder` there
  // is no cache and every lookup is a miss.
  explicit SymbolCache(std::string folder, uint64_t quota = kQuota)
      : folder_(std::move(folder)), quota_(quota) {}

  // From $XDG_CACHE_HOME or $HOME; empty if neither is an absolute path.
  static std::string DefaultFolder();

  // Returns the cached names that are still valid; an empty object if there are none.
  CachedNames Load(const SymbolRequest& request, const SymbolizeOptions& options) const;

  // Adds to the stored entry if it is still valid, else replaces it. `fresh.module` was taken
  // before the file was read: nothing is stored if the file has changed since.
  void Store(const SymbolRequest& request, const SymbolizeOptions& options,
             CachedNames fresh) const;

 private:
  UniqueFd OpenFolder(bool make) const;
  void DropOldest(int folder) const;

  std::string folder_;
  uint64_t quota_;
};

}  // namespace gprofx
