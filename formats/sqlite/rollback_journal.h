// What a rollback journal holds: the pages of a database as they were before an unfinished commit.
//
// A pure reader of the format of https://www.sqlite.org/fileformat.html#the_rollback_journal. It
// stops where SQLite's playback stops, so a database seen through the pages is the database that
// playback would leave. Memory grows with the pages of the database, time with the journal. Used
// inside formats/ only.
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

// Fills `bytes` from `offset` on; false if they are not all there.
using ReadAt = std::function<bool(uint64_t offset, std::span<std::byte> bytes)>;

// Does a journal begin here? Others are no unfinished commit, and SQLite ignores them too.
bool BeginsJournal(const ReadAt& read);

// Is it the journal of a commit that had changed nothing yet? SQLite writes the header's first
// bytes last.
bool IsUnbegunJournal(const ReadAt& read, uint64_t size);

// Does it end with the name of a super-journal? SQLite's playback then opens and deletes other
// files. Only commits into several databases at once write one, which gprof-x never does.
bool NamesSuperJournal(const ReadAt& read, uint64_t size);

// Nothing where the header makes no sense: there is nothing to take back.
std::optional<RollbackJournal> ReadRollbackJournal(const ReadAt& read, uint64_t size);

}  // namespace gprofx
