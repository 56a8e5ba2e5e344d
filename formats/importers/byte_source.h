// Reads the bytes of a file in pieces. Gzip is detected by the first bytes and decompressed, also
// with several members. Memory is one piece, whatever the size of the file. Blocking; one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "core/base/result.h"

namespace gprofx::importers {

class ByteSource {
 public:
  // Accepts regular files only: a pipe or a device could block.
  static Result<ByteSource> Open(const std::string& path);
  ByteSource(ByteSource&&) noexcept;
  ByteSource& operator=(ByteSource&&) noexcept;
  ~ByteSource();

  // Returns the next bytes, valid until the next call; empty at the end and after an error.
  std::span<const char> Next();
  // If reading ended before the end of the file: the error, with what to do.
  const Status& status() const;
  // Hash of all bytes returned so far; identifies the file.
  uint64_t hash() const;

 private:
  struct Impl;
  explicit ByteSource(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace gprofx::importers
