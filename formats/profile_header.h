// What the first 100 bytes and the size of a file say about it, before SQLite sees it.
//
// Pure functions over bytes; the numbers are those of https://www.sqlite.org/fileformat.html,
// big-endian.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/result.h"

namespace gprofx {

constexpr size_t kDatabaseHeaderSize = 100;

struct DatabaseHeader {
  uint64_t page_size = 0;
  uint64_t page_count = 0;  // 0 = not known
  bool is_wal = false;
  uint32_t application_id = 0;
  uint32_t user_version = 0;
};

// An Error if the bytes are not the start of a profile of this tool. The version is not judged
// here.
Result<DatabaseHeader> ReadDatabaseHeader(const std::string& path,
                                          std::span<const std::byte> bytes);

// An Error if the file is shorter than its header says.
Status CheckLength(const std::string& path, const DatabaseHeader& header, uint64_t file_size);

}  // namespace gprofx
