// Creating and replacing the files that gprof-x writes: private (0600), never through a symbolic
// link.
//
// Every error names the file or folder, the reason and the way out. Blocking; any thread; keeps no
// state but the identities of the files that it made.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "core/base/unique_fd.h"

namespace gprofx {

// Makes a new, empty file of mode 0600 at `path`, which must not exist (O_EXCL, O_NOFOLLOW).
Status CreatePrivateFile(const std::string& path);
int TryCreatePrivateFile(const std::string& path);  // the same; 0 or an errno

// A rollback journal that an ended recording left at `path`-journal, and nothing at `path`: it is
// removed. Anything else that lies there is an Error: it is not ours, and must not meet the new
// file.
Status RemoveStaleJournal(const std::string& path);

// Refuses what is never written over: links, folders, devices, and with `profiles_only` every file
// that is not a profile. `exists` says whether something is there.
Status CheckReplaceable(const std::string& path, bool profiles_only, bool& exists);

// Is there a file that begins as a profile of this tool does?
bool IsProfile(const std::string& path);

// The file at `path` becomes `path`.old together with the rollback journal that belongs to it. It
// stays at `path` as well where the file system has hard links: the caller renames another over it.
Status KeepAsOld(const std::string& path);

// What went wrong with writing `path`, in words; `error_number` as of errno, 0 = not known.
Error WriteError(const std::string& path, int error_number, const std::string& detail);

// Device and inode, to notice that somebody else replaced a file. Both 0 if there is none.
struct FileIdentity {
  uint64_t device = 0, inode = 0;
  bool operator==(const FileIdentity&) const = default;
};
FileIdentity IdentityOf(const std::string& path);

// Did this process create the open file by one of the functions above? Then nobody else has put it
// in place, whoever may write to the folder. Any thread.
bool WasMadeHere(int file);

// Such a file, to be written. Without one errno says why; ESTALE: somebody has replaced it.
UniqueFd OpenMadeFile(const std::string& path);

}  // namespace gprofx
