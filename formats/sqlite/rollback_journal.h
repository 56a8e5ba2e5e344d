// Reads a rollback journal: the pages of a database as they were before an unfinished commit.
//
// The format is described at https://www.sqlite.org/fileformat.html#the_rollback_journal. Reading
// stops where SQLite's playback would stop. A database read with these pages therefore equals the
// database after playback. Pure. Memory grows with the pages of the database, time with the
// journal. Used only inside formats/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>

namespace gprofx {

struct RollbackJournal {
  uint32_t page_size = 0;   // bytes
  uint32_t page_count = 0;  // number of pages of the database before the commit
  // Maps page numbers, which count from 1, to the offset of the page's content in the journal.
  std::unordered_map<uint32_t, uint64_t> pages;
};

// Reads bytes from `offset` on until `bytes` is full. Returns false if the file is too short.
using ReadAt = std::function<bool(uint64_t offset, std::span<std::byte> bytes)>;

// True if a valid journal begins at offset 0. SQLite, too, ignores a file that begins otherwise.
bool BeginsJournal(const ReadAt& read);

// True for the journal of a commit that has not changed anything yet. Such a journal is empty, or
// begins with zeros, because SQLite writes the first bytes of the header last.
bool IsUnbegunJournal(const ReadAt& read, uint64_t size);

// True if the journal ends with the name of a super-journal. SQLite's playback would then open and
// delete other files. Only commits to several databases at once write one, and gprof-x never does
// that.
bool NamesSuperJournal(const ReadAt& read, uint64_t size);

// Returns the pages of the journal. No value if its header is invalid; there is then nothing to
// roll back.
std::optional<RollbackJournal> ReadRollbackJournal(const ReadAt& read, uint64_t size);

}  // namespace gprofx
