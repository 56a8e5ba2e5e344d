// Opens, reads and writes files with system calls. Reads and writes are complete: they retry after
// EINTR and short transfers. errno is set if a result is short because of an error. Blocking; any
// thread; no state.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <optional>
#include <string>

#include "core/base/unique_fd.h"

namespace gprofx {

// Reads `size` bytes to `data`. Returns the number of bytes read, which is smaller at the end of
// the file or after an error.
inline size_t ReadUpTo(int fd, char* data, size_t size) {
  size_t done = 0;
  while (done < size) {
    const ssize_t got = read(fd, data + done, size - done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<size_t>(got);
  }
  return done;
}

inline bool WriteAll(int fd, const char* data, size_t size) {
  while (size > 0) {
    const ssize_t put = write(fd, data, size);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    data += put;
    size -= static_cast<size_t>(put);
  }
  return true;
}

// Returns the path of this program; "" if /proc is not mounted or the path is too long.
inline std::string OwnPath() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  const bool is_whole = length > 0 && static_cast<size_t>(length) < sizeof path;
  return is_whole ? std::string(path, static_cast<size_t>(length)) : "";
}

// True if `path` is a directory. False if it cannot be examined, for example because it is missing.
inline bool IsFolder(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}
inline bool AreOneFile(const std::string& a, const std::string& b) {
  struct stat one, other;
  return stat(a.c_str(), &one) == 0 && stat(b.c_str(), &other) == 0 && one.st_dev == other.st_dev &&
         one.st_ino == other.st_ino;
}

// Opens a file for reading. Does not block if the file is a FIFO. On failure, the result is empty
// and errno is set.
inline UniqueFd OpenToRead(const std::string& path) {
  return UniqueFd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
}

// Opens the file to which `place`, an O_PATH descriptor, refers. Does not use the path of the file,
// which may lead to another file by now. Needs /proc.
inline UniqueFd OpenPlace(const UniqueFd& place, int flags) {
  const std::string path = "/proc/self/fd/" + std::to_string(place.get());
  return UniqueFd(open(path.c_str(), flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
}

// Opens `path` if it is a regular file. Otherwise returns an empty descriptor: errno is EINVAL for
// another type of file and ELOOP for a symbolic link. The type is checked before the file is
// opened, because opening a device or a FIFO can have effects: a watchdog starts, a tape rewinds, a
// writer wakes up. `more` holds additional flags for resolving the path, such as O_NOFOLLOW.
// `access` is the access mode, such as O_RDWR. Needs /proc.
inline UniqueFd OpenRegularFile(int folder, const std::string& path, int more = 0,
                                int access = O_RDONLY) {
  const UniqueFd place(openat(folder, path.c_str(), O_PATH | O_CLOEXEC | more));
  struct stat named {
  }, opened{};
  if (!place || fstat(place.get(), &named) != 0) return {};
  if (S_ISREG(named.st_mode)) {
    UniqueFd file = OpenPlace(place, access);
    if (!file || fstat(file.get(), &opened) != 0) return {};
    if (opened.st_dev == named.st_dev && opened.st_ino == named.st_ino) return file;
  }
  errno = S_ISLNK(named.st_mode) ? ELOOP : EINVAL;
  return {};
}

// Returns the text of the file, at most its first `limit` bytes; no value if it cannot be read. If
// `limit` is at most 4096, reads only once, because the kernel returns a small file of /proc whole.
inline std::optional<std::string> ReadText(int fd, size_t limit) {
  std::string text;
  char piece[4096];
  while (text.size() < limit) {
    const size_t most = std::min(limit - text.size(), sizeof piece);
    const ssize_t got = read(fd, piece, most);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    text.append(piece, static_cast<size_t>(got));
    if (got == 0 || limit <= sizeof piece) break;
  }
  return text;
}

// Returns the first `limit` bytes of a file; no value if it cannot be opened or read.
inline std::optional<std::string> ReadSmallFile(const std::string& path, size_t limit = 4096) {
  const UniqueFd file = OpenToRead(path);
  return file ? ReadText(file.get(), limit) : std::nullopt;
}

// Like ReadSmallFile, but reads only regular files and never a device. For other types of files,
// returns no value with errno EINVAL.
inline std::optional<std::string> ReadRegularFile(const std::string& path, size_t limit) {
  const UniqueFd file = OpenRegularFile(AT_FDCWD, path);
  return file ? ReadText(file.get(), limit) : std::nullopt;
}

}  // namespace gprofx
