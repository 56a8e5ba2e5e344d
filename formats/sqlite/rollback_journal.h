// The content of a rollback journal: the pages of a database as they were before an unfinished
// commit.
//
// A pure reader of the format of https://www.sqlite.org/fileformat.html#the_rollback_journal. It
// stops where SQLite's playback stops, so a database seen through these pages equals the database
// after playback. Memory grows with the pages of the database, time with the journal. Used only
// inside formats/.
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
  uint32_t page_count = 0;  // of the database before the commit
  // Page number, counted from 1, to the offset of its content in the journal.
  std::unordered_map<uint32_t, uint64_t> pages;
};

// Fills `bytes` from `offset` on; returns false if they do not all exist.
using ReadAt = std::function<bool(uint64_t offset, std::span<std::byte> bytes)>;

// True if a valid journal begins here. Anything else is not an unfinished commit, and SQLite
// ignores it, too.
bool BeginsJournal(const ReadAt& read);

// True for the journal of a commit that had changed nothing yet: the file is empty, or the first
// bytes of the header are zero, because SQLite writes them last.
bool IsUnbegunJournal(const ReadAt& read, uint64_t size);

// True if the journal ends with the name of a super-journal. SQLite's playback would then open and
// delete other files. Only commits to several databases at once write one, and gprof-x never does
// that.
bool NamesSuperJournal(const ReadAt& read, uint64_t size);

// Returns the pages of the journal. No value if the header is invalid: then there is nothing to
// roll back.
std::optional<RollbackJournal> ReadRollbackJournal(const ReadAt& read, uint64_t size);

}  // namespace gprofx
