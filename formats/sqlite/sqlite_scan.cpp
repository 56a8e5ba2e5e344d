#include "formats/sqlite/sqlite_scan.h"

#include <algorithm>
#include <cstring>

namespace gprofx {
namespace {

constexpr uint8_t kInterior = 5, kLeaf = 13;  // page types of tables
constexpr size_t kInteriorHeader = 12, kLeafHeader = 8;
constexpr size_t kMaxDepth = 20;
constexpr size_t kSlack = 16;  // spare bytes after a page, so a number can be read in one load
constexpr uint64_t kWorkOfPage = 100;  // work per page, in operations of SQLite's virtual machine

uint32_t Byte(const std::byte* at) { return std::to_integer<uint32_t>(*at); }
uint32_t Two(const std::byte* at) { return Byte(at) << 8 | Byte(at + 1); }
uint32_t Four(const std::byte* at) { return Two(at) << 16 | Two(at + 2); }

// Reads a varint of at most nine bytes into `value`. All bits of the ninth byte belong to the
// number. Returns the address after the varint.
const std::byte* ReadNumber(const std::byte* at, uint64_t& value) {
  value = 0;
  for (int i = 0; i < 8; ++i) {
    const uint32_t byte = Byte(at++);
    value = value << 7 | (byte & 0x7f);
    if (byte < 0x80) return at;
  }
  value = value << 8 | Byte(at++);
  return at;
}

// Size in bytes of a value, by serial type; larger types than these are texts and blobs.
constexpr uint8_t kSizes[12] = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0};
constexpr uint64_t kNull = 0, kReal = 7, kZero = 8, kOne = 9, kText = 12;

int64_t ReadInteger(const std::byte* at, uint64_t type) {
  if (type >= kZero) return type == kOne ? 1 : 0;
  uint64_t bytes;
  memcpy(&bytes, at, sizeof(bytes));
  bytes = __builtin_bswap64(bytes);
  return static_cast<int64_t>(bytes) >> (64 - 8 * kSizes[type]);
}

uint32_t RootOf(const HardenedSqlite& file, const std::string& table) {
  sqlite::Statement rows =
      file.Query("SELECT rootpage FROM sqlite_schema WHERE type='table' AND name=?1");
  if (!rows) return 0;
  rows.Bind(0, std::string_view(table));
  const int64_t root = rows.Next() ? rows.Int(0) : 0;
  return root > 1 && root <= UINT32_MAX ? static_cast<uint32_t>(root) : 0;
}

}  // namespace

TableScan::TableScan(const HardenedSqlite& file, const std::string& table,
                     std::span<const char* const> columns)
    : file_(&file), page_size_(file.header().page_size), usable_(file.header().usable_size()) {
  const Result<std::vector<SqliteColumn>> there = file.Columns(table);
  if (!there || columns.size() > IntegerRow::kMaxColumns) return;
  for (const SqliteColumn& column : *there) {
    if (column.is_key) return;  // an INTEGER PRIMARY KEY is stored as NULL in the record
  }
  for (size_t place = 0; place < columns.size(); ++place) {
    const auto found = std::find_if(there->begin(), there->end(), [&](const SqliteColumn& column) {
      return column.name == columns[place];
    });
    if (found == there->end()) {
      absent_ |= 1u << place;
      continue;
    }
    const auto position = static_cast<size_t>(found - there->begin());
    if (wanted_.size() <= position) wanted_.resize(position + 1, -1);
    wanted_[position] = static_cast<int8_t>(place);
  }
  leaf_.resize(page_size_ + kSlack);
  root_ = RootOf(file, table);
}

bool TableScan::Begin(int64_t first, int64_t end) {
  first_ = first;
  end_ = end;
  has_last_ = is_refused_ = false;
  depth_ = 0;
  leaf_cells_ = 0;
  return first < end && root_ != 0 && page_size_ >= 512 && usable_ >= 480 && usable_ <= page_size_;
}

// Reads page `number`. An interior page is added to the levels; a leaf becomes the current page.
// Returns false if the page is refused.
bool TableScan::Descend(uint32_t number) {
  is_refused_ = true;
  if (!file_->ReadPage(number, std::span(leaf_).first(page_size_)) || !file_->Spend(kWorkOfPage))
    return false;
  const uint32_t kind = Byte(leaf_.data()), cells = Two(leaf_.data() + 3);
  const size_t header = kind == kLeaf ? kLeafHeader : kInteriorHeader;
  if ((kind != kLeaf && kind != kInterior) || header + 2 * size_t{cells} > usable_) return false;
  if (kind == kLeaf) {
    if (cells == 0 && depth_ > 0) return false;  // only a table without rows has an empty leaf
    leaf_cells_ = cells;
  } else {
    if (depth_ == kMaxDepth) return false;
    if (levels_.size() <= depth_) levels_.emplace_back().page.resize(page_size_ + kSlack);
    Level& level = levels_[depth_++];
    std::swap(level.page, leaf_);
    level.cells = cells;
    level.next = 0;
    leaf_cells_ = 0;
  }
  is_refused_ = false;
  return true;
}

bool TableScan::NextPage() {
  if (depth_ == 0 && leaf_cells_ != 0) return false;  // the root is a leaf that has been read
  if (depth_ == 0 && !Descend(root_)) return false;
  if (depth_ == 0) return leaf_cells_ != 0;
  leaf_cells_ = 0;
  while (leaf_cells_ == 0) {
    Level& level = levels_[depth_ - 1];
    if (level.next > level.cells) {  // the last child, to the right of all cells, has been read
      if (--depth_ == 0) return false;
      continue;
    }
    const uint32_t cell = level.next++;
    uint32_t child = Four(level.page.data() + 8);
    if (cell < level.cells) {
      const uint32_t at = Two(level.page.data() + kInteriorHeader + 2 * size_t{cell});
      if (at + 4 > usable_) return is_refused_ = true, false;
      uint64_t key = 0;  // maximum rowid in the child
      ReadNumber(level.page.data() + at + 4, key);
      if (static_cast<int64_t>(key) < first_) continue;
      if (static_cast<int64_t>(key) >= end_ - 1) level.next = level.cells + 1;
      child = Four(level.page.data() + at);
    }
    if (!Descend(child)) return false;
  }
  return true;
}

TableScan::Found TableScan::ReadCell(uint32_t cell) {
  const uint32_t at = Two(leaf_.data() + kLeafHeader + 2 * size_t{cell});
  if (at + 4 > usable_) return Found::kRefused;
  uint64_t size = 0, key = 0;
  const std::byte* record = ReadNumber(leaf_.data() + at, size);
  record = ReadNumber(record, key);
  const std::byte* const end = leaf_.data() + usable_;
  // Refuse larger records, because they continue on overflow pages.
  if (size > usable_ - 35 || record > end || size > static_cast<uint64_t>(end - record))
    return Found::kRefused;
  const auto rowid = static_cast<int64_t>(key);
  if (has_last_ && rowid <= last_) return Found::kRefused;
  has_last_ = true;
  last_ = rowid;
  if (rowid < first_ || rowid >= end_) return Found::kOutside;
  return ReadValues(record, record + size) ? Found::kRow : Found::kRefused;
}

bool TableScan::ReadValues(const std::byte* record, const std::byte* end) {
  uint64_t header = 0;
  const std::byte* type_at = ReadNumber(record, header);
  if (header > static_cast<uint64_t>(end - record)) return false;
  const std::byte* const types_end = record + header;
  const std::byte* value = types_end;
  row_.nulls = absent_;
  for (const int8_t place : wanted_) {
    if (type_at >= types_end) return false;  // the row is older than the column
    uint64_t type = Byte(type_at);
    if (type < 0x80) {
      ++type_at;
    } else {
      type_at = ReadNumber(type_at, type);
    }
    const uint64_t size = type < kText ? kSizes[type] : (type - kText) / 2;
    if (size > static_cast<uint64_t>(end - value)) return false;
    if (place >= 0) {
      const auto column = static_cast<size_t>(place);
      if (type == kReal || type > kOne) return false;
      if (type == kNull) row_.nulls |= 1u << column;
      row_.values[column] = type == kNull ? 0 : ReadInteger(value, type);
    }
    value += size;
  }
  return true;
}

}  // namespace gprofx
