// Caches the names that earlier runs found, in one file per build-id and path under
// $XDG_CACHE_HOME/gprof-x/symbols.
//
// Anybody can give a file the build-id of another one. An entry is therefore valid for one path
// only, and only while the same unchanged inode is there (device, inode, size, mtime and ctime).
// The same holds for each debug file, and for each path where a debug file was missing. It is also
// cached that an address has no name. Requests with SymbolRequest::reader (symbolizer.h) are
// neither answered nor cached.
//
// The directory and its files belong to the user, with modes 0700 and 0600. The cache is not used
// in a directory that another user could have created. Files have a checksum and are replaced by
// rename; damaged or foreign files are ignored. Errors are not reported, because a broken cache
// costs only time, not names. Several processes may use the cache at once; the last writer wins.
// Blocking.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "symbolize/dwarf/debug_files.h"
#include "symbolize/symbolizer.h"

namespace gprofx {

struct CachedNames {
  Witness module;  // the file that the names are from
  std::vector<Witness> witnesses;
  ModuleNames names;
};

class SymbolCache {
 public:
  static constexpr uint64_t kQuota = uint64_t{512} << 20;

  // The cache of this user in `folder`; the first write creates the folder. If `folder` is empty,
  // there is no cache: every lookup finds nothing.
  explicit SymbolCache(std::string folder, uint64_t quota = kQuota)
      : folder_(std::move(folder)), quota_(quota) {}

  // Returns the folder under $XDG_CACHE_HOME or $HOME; empty if neither is an absolute path.
  static std::string DefaultFolder();

  // Returns the cached names that are still valid; an empty object if there are none.
  CachedNames Load(const SymbolRequest& request, const SymbolizeOptions& options) const;

  // Stores `fresh`. If an entry exists and is still valid, its names are kept, too; otherwise it is
  // replaced. The caller must have taken `fresh.module` before it read the file: if the file has
  // changed since, nothing is stored.
  void Store(const SymbolRequest& request, const SymbolizeOptions& options,
             CachedNames fresh) const;

 private:
  UniqueFd OpenFolder(bool make) const;
  void DropOldest(int folder) const;

  std::string folder_;
  uint64_t quota_;
};

}  // namespace gprofx
