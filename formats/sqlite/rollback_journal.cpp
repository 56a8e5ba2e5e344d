#include "formats/sqlite/rollback_journal.h"

#include <algorithm>
#include <array>
#include <vector>

namespace gprofx {
namespace {

constexpr std::array<uint8_t, 8> kJournalMagic = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
constexpr uint64_t kHeader = 28;  // bytes of the header that are used
// Special number of records: all until the end of the file.
constexpr uint32_t kUntilTheEnd = 0xffffffff;
constexpr uint32_t kPendingByte = 0x40000000;  // the page at this offset is never written

uint32_t Number(std::span<const std::byte> bytes, size_t at) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) value = value << 8 | std::to_integer<uint32_t>(bytes[at + i]);
  return value;
}

bool IsMagic(const ReadAt& read, uint64_t at) {
  std::array<std::byte, kJournalMagic.size()> bytes;
  return read(at, bytes) && std::equal(bytes.begin(), bytes.end(), kJournalMagic.begin(),
                                       [](std::byte a, uint8_t b) { return a == std::byte{b}; });
}

bool IsSize(uint32_t value, uint32_t least) {
  return value >= least && value <= 65536 && (value & (value - 1)) == 0;
}

uint32_t Checksum(uint32_t sum, std::span<const std::byte> page) {
  for (size_t at = page.size() - 200; at > 0 && at < page.size(); at -= 200) {
    sum += std::to_integer<uint32_t>(page[at]);
  }
  return sum;
}

}  // namespace

bool BeginsJournal(const ReadAt& read) { return IsMagic(read, 0); }

bool IsUnbegunJournal(const ReadAt& read, uint64_t size) {
  std::array<std::byte, kJournalMagic.size()> bytes;
  return size == 0 ||
         (read(0, bytes) && std::all_of(bytes.begin(), bytes.end(),
                                        [](std::byte byte) { return byte == std::byte{0}; }));
}

bool NamesSuperJournal(const ReadAt& read, uint64_t size) {
  return size >= 16 && IsMagic(read, size - kJournalMagic.size());
}

std::optional<RollbackJournal> ReadRollbackJournal(const ReadAt& read, uint64_t size) {
  std::array<std::byte, kHeader> header;
  if (size < 512 || !read(0, header) || !BeginsJournal(read)) return std::nullopt;
  const uint32_t sector = Number(header, 20), page_size = Number(header, 24);
  if (!IsSize(sector, 32) || !IsSize(page_size, 512)) return std::nullopt;
  RollbackJournal journal{page_size, Number(header, 16), {}};
  const uint64_t record = uint64_t{page_size} + 8;
  std::vector<std::byte> page(page_size);
  // Each segment has a header that begins at a sector boundary.
  for (uint64_t at = 0; at + sector <= size; at = (at + sector - 1) / sector * sector) {
    if (!IsMagic(read, at) || !read(at, header)) break;
    uint64_t count = Number(header, 8);
    const uint32_t nonce = Number(header, 12);
    at += sector;
    if (count == kUntilTheEnd) count = (size - sector) / record;
    for (; count > 0; --count, at += record) {
      std::array<std::byte, 4> bytes;
      if (at + record > size || !read(at, bytes)) return journal;
      const uint32_t number = Number(bytes, 0);
      if (number == 0 || number == kPendingByte / page_size + 1) return journal;
      if (number > journal.page_count || journal.pages.contains(number)) continue;
      if (!read(at + 4, page) || !read(at + 4 + page_size, bytes)) return journal;
      if (Checksum(nonce, page) != Number(bytes, 0)) return journal;
      journal.pages.emplace(number, at + 4);
    }
  }
  return journal;
}

}  // namespace gprofx
