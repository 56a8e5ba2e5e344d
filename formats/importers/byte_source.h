// Reads the bytes of a file in pieces. Recognizes gzip by its first bytes and decompresses it; the
// file may have several gzip members. Memory: one piece, whatever the size of the file. Blocking;
// one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "core/base/result.h"

namespace gprofx::importers {

class ByteSource {
 public:
  // Opens a regular file. Returns an error for anything else, because a pipe or a device could
  // block.
  static Result<ByteSource> Open(const std::string& path);
  ByteSource(ByteSource&&) noexcept;
  ByteSource& operator=(ByteSource&&) noexcept;
  ~ByteSource();

  // Returns the next bytes, which are valid until the next call. Empty at the end and after an
  // error.
  std::span<const char> Next();
  // Returns the error that stopped reading before the end of the file, if there was one. The error
  // says what to do.
  const Status& status() const;
  // Returns a hash of all bytes returned so far. After the last piece, it identifies the file.
  uint64_t hash() const;

 private:
  struct Impl;
  explicit ByteSource(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace gprofx::importers
