// Reads the numbers of a large table directly from the pages of the file. This is 4 to 5 times as
// fast as SQL, which executes an operation and a call for each value. Use it for tables of integers
// that are read as a whole.
//
// The scan accepts only plain tables of integers. It refuses a requested column with another type,
// a row on several pages, an INTEGER PRIMARY KEY, rows from before a column was added, and trees
// that SQLite would not write. The caller then uses SQL instead, which returns the rows or
// describes the damage. Rowids must increase from row to row over all pages, so no page is read
// twice in one call, whatever the file contains.
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

// The values of a row, in the order of the requested columns.
class IntegerRow {
 public:
  static constexpr size_t kMaxColumns = 16;

  int64_t Int(size_t at) const { return values[at]; }  // 0 for NULL
  bool IsNull(size_t at) const { return (nulls >> at & 1) != 0; }

  std::array<int64_t, kMaxColumns> values{};
  uint32_t nulls = 0;  // bit i is set if value i is NULL
};

class TableScan {
 public:
  TableScan() = default;  // a scan that refuses everything
  // Prepares a scan of `columns`, at most kMaxColumns names. A column that the table does not have
  // is NULL in all rows.
  TableScan(const HardenedSqlite& file, const std::string& table,
            std::span<const char* const> columns);

  // Calls take(const IntegerRow&) for each row with a rowid in [first, end), in the order of
  // rowids. Returns false if the range is empty or the table is refused; rows before the refusal
  // have then been passed.
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
  bool NextPage();  // goes to the next leaf with rows of the range; false at the end or if refused
  bool Descend(uint32_t number);
  Found ReadCell(uint32_t cell);
  bool ReadValues(const std::byte* record, const std::byte* end);

  const HardenedSqlite* file_ = nullptr;
  uint32_t root_ = 0;  // page number of the root; 0 = the scan refuses everything
  size_t page_size_ = 0, usable_ = 0;
  std::vector<int8_t> wanted_;  // by index in the record: index in the row, -1 = skipped
  uint32_t absent_ = 0;         // one bit per column that the table does not have
  // State of the current call of Read.
  int64_t first_ = 0, end_ = 0;
  int64_t last_ = 0;
  bool has_last_ = false, is_refused_ = false;
  size_t depth_ = 0;  // number of interior pages on the way to the current leaf
  std::vector<Level> levels_;
  std::vector<std::byte> leaf_;
  uint32_t leaf_cells_ = 0;
  IntegerRow row_;
};

}  // namespace gprofx
