// Stores cells, the data from which shards are compared. A cell sums up the executions of one group
// (event.h) on one lane in one bin; a bin is a block of time or steps (Plan::bins). Used inside
// core/variability only.
//
// During the sweep, cells are found by key in a hash table. Settle() moves them to a sorted table;
// merging two sorted tables is one pass over both. One thread per object. Memory: 72 bytes per
// cell, 104 before Settle().
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/hash.h"
#include "core/variability/stages/bytes.h"

namespace gprofx::variability {

// Work that ran beside an execution for more than half of its time. kAfterIdle is not such work:
// the execution came after an idle time.
enum class Beside : uint8_t { kCopy, kCollective, kKernel, kAfterIdle };
inline constexpr size_t kBesides = 4;
std::string_view BesideWord(Beside beside);

struct Cell {
  uint64_t n = 0;
  int64_t sum = 0, sum_r = 0;
  int64_t least = INT64_MAX, most = 0;
  std::array<uint32_t, kBesides> beside{};

  void Add(const Cell& other);
  bool operator==(const Cell&) const = default;
};

struct CellKey {
  uint32_t group = 0, lane = 0, bin = 0;
  auto operator<=>(const CellKey&) const = default;
};

struct CellRow {
  CellKey key;
  Cell cell;
  bool operator==(const CellRow&) const = default;
};

class Cells {
 public:
  // Returns the cell of a key; adds it if there is none. The reference is valid until the next
  // Settle() or Merge().
  Cell& At(const CellKey& key) { return open_[key]; }

  void Settle();
  void Merge(Cells&& other);
  std::span<const CellRow> rows() const { return rows_; }  // after Settle(): sorted by key

  void Write(ByteWriter& out) const;  // after Settle()
  // Reads what Write() wrote. Returns false if the bytes are invalid.
  static bool Read(ByteReader& in, Cells& cells);

 private:
  struct Hash {
    size_t operator()(const CellKey& key) const noexcept {
      return HashOfNumbers(uint64_t{key.group} << 32 | key.lane, key.bin);
    }
  };

  std::vector<CellRow> rows_;
  std::unordered_map<CellKey, Cell, Hash> open_;
};

}  // namespace gprofx::variability
