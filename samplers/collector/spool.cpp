#include "samplers/collector/spool.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/base/path.h"

namespace gprofx {
namespace {

UniqueFd NamelessFile(const std::string& folder) {
  UniqueFd file(open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (file) return file;
  // Use a file with a name where the file system does not support O_TMPFILE.
  std::string name = folder + "/.gprof-x-XXXXXX";
  file.Reset(mkostemp(name.data(), O_CLOEXEC));
  if (file) unlink(name.c_str());
  return file;
}

}  // namespace

Result<Spool> Spool::Create(const std::string& beside) {
  const std::string folder = FolderOf(beside);
  Spool spool;
  spool.file_ = NamelessFile(folder);
  struct statvfs space {};
  if (!spool.file_ || fstatvfs(spool.file_.get(), &space) != 0) {
    return Error{ErrorId::kCannotWrite,
                 "cannot create a file for GPU code in '" + folder + "': " + std::strerror(errno)};
  }
  const uint64_t free_bytes = uint64_t{space.f_bavail} * space.f_frsize;
  spool.limit_ = std::min(kMaxBytes, free_bytes / 2);
  return spool;
}

Result<std::vector<std::byte>> Spool::Read(uint64_t offset, uint64_t bytes) const {
  struct stat status {};
  if (fstat(file_.get(), &status) != 0) return Error{ErrorId::kCannotRead, "cannot read GPU code"};
  const auto size = static_cast<uint64_t>(status.st_size);
  if (bytes == 0 || bytes > kMaxModule || offset > size || bytes > size - offset) {
    return Error{ErrorId::kCannotRead, "the code of a GPU module is missing"};
  }
  std::vector<std::byte> data(bytes);
  size_t done = 0;
  while (done < data.size()) {
    const ssize_t got = pread(file_.get(), data.data() + done, data.size() - done,
                              static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return Error{ErrorId::kDamaged, "the code of a GPU module is truncated"};
    done += static_cast<size_t>(got);
  }
  return data;
}

}  // namespace gprofx
