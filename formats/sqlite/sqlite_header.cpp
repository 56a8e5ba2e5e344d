#include "formats/sqlite/sqlite_header.h"

#include <cstring>

namespace gprofx {
namespace {

constexpr char kMagic[] = "SQLite format 3";  // includes its terminating zero

uint32_t BigEndian(std::span<const std::byte> bytes, size_t at, size_t size) {
  uint32_t value = 0;
  for (size_t i = 0; i < size; ++i) value = value << 8 | std::to_integer<uint32_t>(bytes[at + i]);
  return value;
}

}  // namespace

std::optional<DatabaseHeader> ReadDatabaseHeader(std::span<const std::byte> bytes) {
  if (bytes.size() < kDatabaseHeaderSize || memcmp(bytes.data(), kMagic, sizeof(kMagic)) != 0) {
    return std::nullopt;
  }
  DatabaseHeader header;
  const uint32_t page_size = BigEndian(bytes, 16, 2);
  header.page_size = page_size == 1 ? 65536 : page_size;
  header.reserved = std::to_integer<uint32_t>(bytes[20]);
  header.is_wal = bytes[18] != std::byte{1} || bytes[19] != std::byte{1};
  // Like SQLite, use the page count only if the last writer that changed the file also updated it:
  // both change counters are then equal.
  if (BigEndian(bytes, 24, 4) == BigEndian(bytes, 92, 4)) {
    header.page_count = BigEndian(bytes, 28, 4);
  }
  header.user_version = BigEndian(bytes, 60, 4);
  header.application_id = BigEndian(bytes, 68, 4);
  return header;
}

}  // namespace gprofx
