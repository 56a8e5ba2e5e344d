// The bytes of a file in pieces, unpacked where it is gzip (by its first bytes, several members
// too). Takes memory for one piece, whatever the file's size. Blocking; one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "core/base/result.h"

namespace gprofx::importers {

class ByteSource {
 public:
  // Regular files only: a pipe or a device must not make us wait.
  static Result<ByteSource> Open(const std::string& path);
  ByteSource(ByteSource&&) noexcept;
  ByteSource& operator=(ByteSource&&) noexcept;
  ~ByteSource();

  // The next bytes, valid until the next call; none at the end and after an error.
  std::span<const char> Next();
  // Why it ended before its end. The way out is in it.
  const Status& status() const;
  // Of all bytes that were given so far: what the file is known by.
  uint64_t hash() const;

 private:
  struct Impl;
  explicit ByteSource(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace gprofx::importers
