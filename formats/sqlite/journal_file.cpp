#include "formats/sqlite/journal_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file_io.h"

namespace gprofx {

JournalFile::JournalFile(const std::string& path)
    : file_(OpenRegularFile(AT_FDCWD, path, O_NOFOLLOW)) {
  struct stat info;
  if (!file_) return;
  if (fstat(file_.get(), &info) != 0) {
    file_.Reset();
    return;
  }
  owner_ = info.st_uid;
  size_ = static_cast<uint64_t>(info.st_size);
}

bool JournalFile::Read(uint64_t offset, std::span<std::byte> bytes) const {
  return pread(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset)) ==
         static_cast<ssize_t>(bytes.size());
}

}  // namespace gprofx
