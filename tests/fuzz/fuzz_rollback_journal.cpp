// The rollback journal beside a profile from any bytes: no page may lie outside of it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "formats/sqlite/rollback_journal.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace gprofx;
  const ReadAt read = [&](uint64_t offset, std::span<std::byte> bytes) {
    if (offset > size || bytes.size() > size - offset) return false;
    memcpy(bytes.data(), data + offset, bytes.size());
    return true;
  };
  if (NamesSuperJournal(read, size) && size < 16) abort();
  const auto journal = ReadRollbackJournal(read, size);
  if (!journal) return 0;
  if (!BeginsJournal(read) || IsUnbegunJournal(read, size)) abort();
  for (const auto& [number, offset] : journal->pages) {
    if (number < 1 || number > journal->page_count) abort();
    if (offset > size || journal->page_size > size - offset) abort();
  }
  return 0;
}
