// What the first 100 bytes and the size of a file say about it, before SQLite reads it.
//
// Pure functions over bytes; the numbers are those of https://www.sqlite.org/fileformat.html,
// big-endian.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace gprofx {

constexpr size_t kDatabaseHeaderSize = 100;

struct DatabaseHeader {
  uint64_t page_size = 0;
  uint32_t reserved = 0;    // bytes at the end of each page that are not SQLite's
  uint64_t page_count = 0;  // 0 = not known
  bool is_wal = false;
  uint32_t application_id = 0;
  uint32_t user_version = 0;

  // Of a page; nothing where it makes no sense.
  uint64_t usable_size() const { return reserved < page_size ? page_size - reserved : 0; }
  uint64_t bytes() const { return page_count * page_size; }  // that the file should have
};

// Nothing if the bytes are not the start of an SQLite database.
std::optional<DatabaseHeader> ReadDatabaseHeader(std::span<const std::byte> bytes);

}  // namespace gprofx
