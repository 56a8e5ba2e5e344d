// Answers of earlier runs, one file per build-id under $XDG_CACHE_HOME/gprof-x/symbols.
//
// An entry holds for the places that were looked at when it was made: installing or removing a
// debug file, or stripping the module, makes it void. "Has no name" is remembered too. Files are
// 0600, belong to the user, carry a checksum and are replaced by rename; a damaged or foreign file
// counts as none. Errors are silent: a cache that does not work costs time, not names. Several
// processes may use it at once (the last writer wins). Blocking.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "symbolize/debug_files.h"
#include "symbolize/symbolizer.h"

namespace gprofx {

struct CachedNames {
  uint64_t module_size =
      0;  // of the file on disk, 0 = it was not there: tells stripped from unstripped
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

  // Adds to what is stored if that still holds, else replaces it.
  void Store(const SymbolRequest& request, const SymbolizeOptions& options,
             CachedNames fresh) const;

 private:
  std::string PathOf(const SymbolRequest& request) const;
  void DropOldest() const;

  std::string folder_;
  uint64_t quota_;
};

}  // namespace gprofx
