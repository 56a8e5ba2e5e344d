// Reads the numbers of a large table directly from the pages of the file. This is 4 to 5 times as
// fast as SQL, where each value of each row is an operation and a call. For tables that are read as
// a whole and hold integers.
//
// Refuses anything that is not a plain table of integers (another type in a requested column, a row
// on several pages, an INTEGER PRIMARY KEY, rows from before a column was added), and trees that
// SQLite would not write. The caller then falls back to SQL, which returns the result or names the
// damage. Rowids must rise from row to row over all pages, so that no page is read twice in one
// call, whatever the file contains.
//
// The format: https://www.sqlite.org/fileformat2.html. One thread per object; the file must outlive
// it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "formats/sqlite/hardened_sqlite.h"

namespace gprofx {

// Values of a row, in the order of the requested columns.
class IntegerRow {
 public:
  static constexpr size_t kMaxColumns = 16;

  int64_t Int(size_t at) const { return values[at]; }  // 0 for NULL
  bool IsNull(size_t at) const { return (nulls >> at & 1) != 0; }

  std::array<int64_t, kMaxColumns> values{};
  uint32_t nulls = 0;  // one bit per value
};

class TableScan {
 public:
  TableScan() = default;  // refuses everything
  // `columns` are names, at most kMaxColumns; a column that the table does not have is NULL in all
  // rows.
  TableScan(const HardenedSqlite& file, const std::string& table,
            std::span<const char* const> columns);

  // Calls take(const IntegerRow&) for each row whose rowid is in the range [first, end), in that
  // order. Returns false if the table is refused, possibly after some rows, or if the range is
  // empty.
  template <class Take>
  bool Read(int64_t first, int64_t end, Take&& take) {
    if (!Begin(first, end)) return false;
    while (NextPage()) {
      for (uint32_t cell = 0; cell < leaf_cells_; ++cell) {
        const Found found = ReadCell(cell);
        if (found == Found::kRefused) return false;
        if (found == Found::kRow) take(std::as_const(row_));
      }
    }
    return !is_refused_;
  }

 private:
  enum class Found { kRow, kOutside, kRefused };
  struct Level {  // an interior page on the way to the leaf
    std::vector<std::byte> page;
    uint32_t cells = 0, next = 0;
  };

  bool Begin(int64_t first, int64_t end);
  bool NextPage();  // next leaf with rows of the range; false: at the end or refused
  bool Descend(uint32_t number);
  Found ReadCell(uint32_t cell);
  bool ReadValues(const std::byte* record, const std::byte* end);

  const HardenedSqlite* file_ = nullptr;
  uint32_t root_ = 0;  // page number, 0 = refuses everything
  size_t page_size_ = 0, usable_ = 0;
  std::vector<int8_t> wanted_;  // by index in the record: index in the row, -1 = skipped
  uint32_t absent_ = 0;         // bits of absent columns
  // State of the walk.
  int64_t first_ = 0, end_ = 0;
  int64_t last_ = 0;
  bool has_last_ = false, is_refused_ = false;
  size_t depth_ = 0;  // interior pages in use
  std::vector<Level> levels_;
  std::vector<std::byte> leaf_;
  uint32_t leaf_cells_ = 0;
  IntegerRow row_;
};

}  // namespace gprofx
