// Reads the header of a database from the first 100 bytes of its file, before SQLite reads the
// file.
//
// Pure functions over bytes. Offsets are those of https://www.sqlite.org/fileformat.html; numbers
// are big-endian.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace gprofx {

constexpr size_t kDatabaseHeaderSize = 100;

struct DatabaseHeader {
  uint64_t page_size = 0;
  uint32_t reserved = 0;    // bytes at the end of each page that SQLite does not use
  uint64_t page_count = 0;  // 0 = unknown
  bool is_wal = false;
  uint32_t application_id = 0;
  uint32_t user_version = 0;

  // Returns the usable bytes of a page; 0 if the header is inconsistent.
  uint64_t usable_size() const { return reserved < page_size ? page_size - reserved : 0; }
  uint64_t bytes() const { return page_count * page_size; }  // expected size of the file
};

// Parses the first bytes of a file. No value if they are not the start of an SQLite database.
std::optional<DatabaseHeader> ReadDatabaseHeader(std::span<const std::byte> bytes);

}  // namespace gprofx
