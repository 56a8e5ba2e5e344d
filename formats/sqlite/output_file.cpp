#include "formats/sqlite/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "core/base/file_io.h"
#include "core/base/path.h"
#include "formats/profile/profile_db.h"
#include "formats/sqlite/journal_file.h"
#include "formats/sqlite/sqlite_header.h"

namespace gprofx {
namespace {

// Identifies a file, even after it was removed. A new file may get the same inode number, but has
// another time of birth.
struct Birth {
  uint64_t device = 0, inode = 0;
  int64_t seconds = 0;
  uint32_t nanoseconds = 0;
  bool operator==(const Birth&) const = default;
};

std::optional<Birth> BirthOf(int file) {
  struct stat info;
  if (fstat(file, &info) != 0) return std::nullopt;
  Birth birth{info.st_dev, info.st_ino, 0, 0};
  // Some kernels, containers and file systems do not report the time of birth. It is then 0.
  struct statx more;
  if (statx(file, "", AT_EMPTY_PATH, STATX_BTIME, &more) == 0 &&
      (more.stx_mask & STATX_BTIME) != 0) {
    birth.seconds = more.stx_btime.tv_sec;
    birth.nanoseconds = more.stx_btime.tv_nsec;
  }
  return birth;
}

// The files that this process created. Takes a few bytes per file.
class MadeFiles {
 public:
  void Add(const Birth& birth) {
    const std::lock_guard lock(mutex_);
    files_.push_back(birth);
  }
  bool Has(const Birth& birth) {
    const std::lock_guard lock(mutex_);
    return std::find(files_.begin(), files_.end(), birth) != files_.end();
  }

 private:
  std::mutex mutex_;
  std::vector<Birth> files_;
};

MadeFiles& Made() {
  static MadeFiles made;
  return made;
}

Error RenameError(const std::string& path, int error_number) {
  return {ErrorId::kCannotWrite,
          "cannot rename '" + path + "' to '" + path + ".old': " + strerror(error_number),
          "choose another file with -o"};
}

}  // namespace

Error WriteError(const std::string& path, int error_number, const std::string& detail) {
  const std::string file = "cannot write '" + path + "': ";
  const std::string folder = "'" + FolderOf(path) + "'";
  switch (error_number) {
    case ENOSPC:
    case EDQUOT:
      return {ErrorId::kCannotWrite, file + "the disk is full",
              "free some space or choose another place with -o"};
    case EFBIG:
      return {ErrorId::kCannotWrite, file + "the file size limit is reached",
              "raise it with ulimit -f or record with --timeline no"};
    case EROFS:
      return {ErrorId::kCannotWrite, file + "folder " + folder + " is on a read-only file system",
              "choose another place with -o"};
    case EACCES:
    case EPERM:
      return {ErrorId::kCannotWrite, file + "permission denied in folder " + folder,
              "choose another place with -o"};
    case ENOENT:
      // The folder exists, but files cannot be created in it, as in /proc.
      if (IsFolder(FolderOf(path))) {
        return {ErrorId::kCannotWrite, file + "no files can be created in folder " + folder,
                "choose another place with -o"};
      }
      return {ErrorId::kCannotWrite, file + "folder " + folder + " does not exist",
              "create it or choose another with -o"};
    case ENAMETOOLONG:
      return {ErrorId::kCannotWrite, file + "the name is too long", "choose a shorter one with -o"};
    case ENOTDIR:
      return {ErrorId::kCannotWrite, file + folder + " is not a folder",
              "choose another place with -o"};
    default:
      return {ErrorId::kCannotWrite, file + (error_number != 0 ? strerror(error_number) : detail),
              "choose another place with -o"};
  }
}

int TryCreatePrivateFile(const std::string& path) {
  const UniqueFd file(open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return errno;
  // The umask may have cleared bits of the mode, and a default ACL may have set some.
  fchmod(file.get(), 0600);
  const std::optional<Birth> birth = BirthOf(file.get());
  if (!birth) return errno;
  Made().Add(*birth);
  return 0;
}

Status CreatePrivateFile(const std::string& path) {
  const int error_number = TryCreatePrivateFile(path);
  return error_number == 0 ? Ok() : Status(WriteError(path, error_number, ""));
}

Status RemoveStaleJournal(const std::string& path) {
  const std::string journal = path + "-journal";
  const JournalFile file(journal);
  if (!file && errno == ENOENT) return Ok();
  const bool is_ours = file && file.owner() == geteuid() && (file.Begins() || file.IsUnbegun());
  if (is_ours && unlink(journal.c_str()) == 0) return Ok();
  return Error{ErrorId::kUnfinishedCommit, "'" + journal + "' exists without its profile",
               "remove it or choose another file with -o"};
}

bool IsProfile(const std::string& path) {
  const UniqueFd file = OpenRegularFile(AT_FDCWD, path, O_NOFOLLOW);
  std::array<std::byte, kDatabaseHeaderSize> bytes{};
  if (!file) return false;
  const ssize_t got = pread(file.get(), bytes.data(), bytes.size(), 0);
  if (got < 0) return false;
  const auto header = ReadDatabaseHeader(std::span(bytes).first(static_cast<size_t>(got)));
  return header && header->application_id == kApplicationId;
}

Status CheckReplaceable(const std::string& path, bool profiles_only, bool& exists) {
  struct stat info;
  exists = lstat(path.c_str(), &info) == 0;
  if (!exists) {
    if (errno == ENOENT && IsFolder(FolderOf(path))) return Ok();
    return WriteError(path, errno, "");
  }
  if (S_ISLNK(info.st_mode)) {
    return Error{ErrorId::kOutputExists,
                 "'" + path + "' is a symbolic link, which gprof-x does not follow",
                 "remove it or name its target with -o"};
  }
  if (S_ISDIR(info.st_mode)) {
    return Error{ErrorId::kWrongFileType, "'" + path + "' is a folder",
                 "name a file in it with -o"};
  }
  if (!S_ISREG(info.st_mode)) {
    return Error{ErrorId::kWrongFileType, "'" + path + "' is not a regular file",
                 "choose another file with -o"};
  }
  errno = 0;
  if (profiles_only && !IsProfile(path)) {
    const std::string why =
        errno == EACCES ? "cannot be read: Permission denied" : "is not a profile";
    return Error{ErrorId::kOutputExists, "'" + path + "' exists and " + why,
                 "choose another file with -o, or replace it with --force"};
  }
  return Ok();
}

Status KeepAsOld(const std::string& path) {
  const std::string old = path + ".old";
  if (IsFolder(old)) return RenameError(path, EISDIR);
  // Remove the journal of the previous .old, because it must not be applied to the new one. The
  // journal of `path` moves with its file: without it, an unfinished profile cannot be read.
  unlink((old + "-journal").c_str());
  unlink(old.c_str());
  if (link(path.c_str(), old.c_str()) != 0 && rename(path.c_str(), old.c_str()) != 0) {
    return RenameError(path, errno);
  }
  if (rename((path + "-journal").c_str(), (old + "-journal").c_str()) != 0 && errno != ENOENT) {
    return RenameError(path, errno);
  }
  return Ok();
}

bool WasMadeHere(int file) {
  const std::optional<Birth> birth = BirthOf(file);
  return birth && Made().Has(*birth);
}

UniqueFd OpenMadeFile(const std::string& path) {
  UniqueFd file = OpenRegularFile(AT_FDCWD, path, O_NOFOLLOW, O_RDWR);
  if (!file && errno == EINVAL) errno = ESTALE;  // a pipe or a device is there instead
  if (file && !WasMadeHere(file.get())) {
    file.Reset();
    errno = ESTALE;
  }
  return file;
}

FileIdentity IdentityOf(const std::string& path) {
  struct stat info;
  if (lstat(path.c_str(), &info) != 0) return {};
  return {info.st_dev, info.st_ino};
}

}  // namespace gprofx
