// Creates and replaces the files that gprof-x writes. They are private (0600), and symbolic links
// are not followed.
//
// Every error names the file or directory and the reason, and suggests a fix. Blocking; any thread.
// The only state is the identities of the files that this process created.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "core/base/unique_fd.h"

namespace gprofx {

// Creates a new, empty file of mode 0600 at `path`, which must not exist (O_EXCL, O_NOFOLLOW).
Status CreatePrivateFile(const std::string& path);
int TryCreatePrivateFile(const std::string& path);  // the same, but returns 0 or an errno

// Removes the rollback journal that an ended recording left at `path`-journal. Call it if there is
// no file at `path`. Returns an Error if the journal is not ours, because it would be applied to
// the new file.
Status RemoveStaleJournal(const std::string& path);

// Returns an error if a link, a directory or a device is at `path`. If `profiles_only` is true,
// also returns an error for a file that is not a profile. Sets `exists` to whether there is
// anything at `path`.
Status CheckReplaceable(const std::string& path, bool profiles_only, bool& exists);

// True if a readable file with the header of a gprof-x profile is at `path`.
bool IsProfile(const std::string& path);

// Moves the file at `path` and its rollback journal to `path`.old. If the file system has hard
// links, the file stays at `path`, too; the caller then renames another file over it.
Status KeepAsOld(const std::string& path);

// Returns the error for a failed write of `path`. `error_number` is an errno; 0 = unknown.
Error WriteError(const std::string& path, int error_number, const std::string& detail);

// Device and inode of a file, from which it can be seen that another process replaced the file.
// Both are 0 if there is no file.
struct FileIdentity {
  uint64_t device = 0, inode = 0;
  bool operator==(const FileIdentity&) const = default;
};
FileIdentity IdentityOf(const std::string& path);

// True if one of the functions above created the open file in this process. Then nobody else, even
// with write access to the directory, has put it there. Any thread.
bool WasMadeHere(int file);

// Opens a file for writing if WasMadeHere is true for it. On failure errno has the reason; ESTALE
// means that another process has replaced the file.
UniqueFd OpenMadeFile(const std::string& path);

}  // namespace gprofx
