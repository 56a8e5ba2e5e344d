#include "formats/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace gprofx {
namespace {

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

bool IsFolder(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

Error RenameError(const std::string& path, int error_number) {
  return {"cannot rename '" + path + "' to '" + path + ".old': " + strerror(error_number),
          "choose another file with -o"};
}

}  // namespace

Error WriteError(const std::string& path, int error_number, const std::string& detail) {
  const std::string file = "cannot write '" + path + "': ";
  const std::string folder = "'" + FolderOf(path) + "'";
  switch (error_number) {
    case ENOSPC:
    case EDQUOT:
      return {file + "the disk is full", "free some space or choose another place with -o"};
    case EFBIG:
      return {file + "the limit of file sizes is reached",
              "raise it with ulimit -f or record with --timeline no"};
    case EROFS:
      return {file + "folder " + folder + " is on a read-only file system",
              "choose another place with -o"};
    case EACCES:
    case EPERM:
      return {file + "no permission to write in folder " + folder, "choose another place with -o"};
    case ENOENT:
      return {file + "folder " + folder + " does not exist", "make it or choose another with -o"};
    case ENOTDIR:
      return {file + folder + " is not a folder", "choose another place with -o"};
    default:
      return {file + (error_number != 0 ? strerror(error_number) : detail),
              "choose another place with -o"};
  }
}

Status CreatePrivateFile(const std::string& path) {
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) return WriteError(path, errno, "");
  // A umask may have taken bits away, a default ACL may have added some.
  fchmod(file, 0600);
  close(file);
  return Ok();
}

Status MoveOldProfileAway(const std::string& path) {
  if (path.empty()) return Error{"the name of the output file is empty", "give one with -o FILE"};
  struct stat info;
  if (lstat(path.c_str(), &info) != 0) {
    if (errno == ENOENT && IsFolder(FolderOf(path))) return Ok();
    return WriteError(path, errno, "");
  }
  if (S_ISLNK(info.st_mode)) {
    return Error{"'" + path + "' is a symbolic link, which is not written through",
                 "remove it or name its target with -o"};
  }
  if (S_ISDIR(info.st_mode)) {
    return Error{"'" + path + "' is a folder", "name a file in it with -o"};
  }
  if (!S_ISREG(info.st_mode)) {
    return Error{"'" + path + "' is not a regular file", "choose another file with -o"};
  }
  const std::string old = path + ".old";
  if (IsFolder(old)) return RenameError(path, EISDIR);
  // An unfinished profile needs its journal to be read; a journal of an older .old must not meet
  // the wrong file.
  unlink((old + "-journal").c_str());
  if (rename((path + "-journal").c_str(), (old + "-journal").c_str()) != 0 && errno != ENOENT) {
    return RenameError(path, errno);
  }
  if (rename(path.c_str(), old.c_str()) != 0) return RenameError(path, errno);
  return Ok();
}

FileIdentity IdentityOf(const std::string& path) {
  struct stat info;
  if (lstat(path.c_str(), &info) != 0) return {};
  return {info.st_dev, info.st_ino};
}

}  // namespace gprofx
