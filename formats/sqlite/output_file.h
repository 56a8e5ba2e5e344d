// Creates and replaces the files that gprof-x writes: private (0600), never through a symbolic
// link.
//
// Every error names the file or directory and the reason, and suggests a fix. Blocking; any thread.
// The only state is the identities of the files created here.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "core/base/unique_fd.h"

namespace gprofx {

// Creates a new, empty file of mode 0600 at `path`, which must not exist (O_EXCL, O_NOFOLLOW).
Status CreatePrivateFile(const std::string& path);
int TryCreatePrivateFile(const std::string& path);  // the same; returns 0 or an errno

// Removes a rollback journal that an ended recording left at `path`-journal when there is no file
// at `path`. Anything else there is an Error: it is not ours, and must not be applied to the new
// file.
Status RemoveStaleJournal(const std::string& path);

// Refuses to replace links, directories and devices, and with `profiles_only` every file that is
// not a profile. Sets `exists` if something is there.
Status CheckReplaceable(const std::string& path, bool profiles_only, bool& exists);

// True if there is a file with the header of a profile of this tool.
bool IsProfile(const std::string& path);

// Moves the file at `path` and its rollback journal to `path`.old. If the file system has hard
// links, the file also stays at `path`; the caller then renames another file over it.
Status KeepAsOld(const std::string& path);

// Describes a failure to write `path`. `error_number` is an errno, 0 = not known.
Error WriteError(const std::string& path, int error_number, const std::string& detail);

// Device and inode, to detect that another process replaced a file. Both are 0 if there is no file.
struct FileIdentity {
  uint64_t device = 0, inode = 0;
  bool operator==(const FileIdentity&) const = default;
};
FileIdentity IdentityOf(const std::string& path);

// True if this process created the open file by one of the functions above. Then nobody else can
// have placed it there, even with write access to the directory. Any thread.
bool WasMadeHere(int file);

// Opens a file for which WasMadeHere is true, for writing. On failure errno has the reason; ESTALE:
// another process has replaced the file.
UniqueFd OpenMadeFile(const std::string& path);

}  // namespace gprofx
