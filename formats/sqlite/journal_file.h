// Reads a rollback journal on disk, next to its database.
//
// Opens only regular files and follows no symbolic link. Blocking; one thread per object. Used only
// inside formats/.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/base/unique_fd.h"
#include "formats/sqlite/rollback_journal.h"

namespace gprofx {

class JournalFile {
 public:
  JournalFile() = default;
  // Opens the journal at `path`. On failure, the object converts to false and errno has the reason;
  // EINVAL means a pipe, a directory or a device.
  explicit JournalFile(const std::string& path);
  explicit operator bool() const { return static_cast<bool>(file_); }

  uid_t owner() const { return owner_; }
  uint64_t size() const { return size_; }                        // bytes, at the time of opening
  bool Read(uint64_t offset, std::span<std::byte> bytes) const;  // false if not all bytes exist
  // Returns a function that reads from this file. This object must outlive it.
  ReadAt reader() const {
    return [this](uint64_t offset, std::span<std::byte> bytes) { return Read(offset, bytes); };
  }
  bool Begins() const { return BeginsJournal(reader()); }
  bool IsUnbegun() const { return IsUnbegunJournal(reader(), size_); }

 private:
  UniqueFd file_;
  uid_t owner_ = 0;
  uint64_t size_ = 0;
};

}  // namespace gprofx
