// Creating and replacing the files that gprof-x writes: private (0600), never through a symbolic
// link.
//
// Every error names the file or folder, the reason and the way out. Blocking; any thread; keeps no
// state.
#pragma once

#include <cstdint>
#include <string>

#include "core/result.h"

namespace gprofx {

// Makes a new, empty file of mode 0600 at `path`, which must not exist (O_EXCL, O_NOFOLLOW).
Status CreatePrivateFile(const std::string& path);

// Makes room at `path`: a regular file there becomes `path`.old together with the rollback journal
// that belongs to it. Refuses links, folders and devices.
Status MoveOldProfileAway(const std::string& path);

// What went wrong with writing `path`, in words; `error_number` as of errno, 0 = not known.
Error WriteError(const std::string& path, int error_number, const std::string& detail);

// Device and inode, to notice that somebody else replaced a file. Both 0 if there is none.
struct FileIdentity {
  uint64_t device = 0, inode = 0;
  bool operator==(const FileIdentity&) const = default;
};
FileIdentity IdentityOf(const std::string& path);

}  // namespace gprofx
