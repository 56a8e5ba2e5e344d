// Stores the distribution of integers as a histogram. It is exact while there are few distinct
// values. With more, it keeps as many leading bits of each value as fit.
//
// The result does not depend on the order of values and merges. It keeps the largest number of bits
// for which all values together have at most `most_cells` distinct ones, and a cell with fewer bits
// is always a sum of cells with more bits. Not thread-safe. Memory: 16 bytes per cell, and a buffer
// for 2 * most_cells values.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/variability/stages/bytes.h"

namespace gprofx::variability {

struct SpreadCell {
  uint64_t value = 0;  // minimum of the values in the cell
  uint64_t count = 0;
  bool operator==(const SpreadCell&) const = default;
};

class Spread {
 public:
  explicit Spread(size_t most_cells = 4096) : most_cells_(most_cells) {}

  void Add(uint64_t value) {
    pending_.push_back(value);
    if (pending_.size() >= 2 * most_cells_) Settle();
  }
  void Merge(Spread&& other);
  void Settle();  // call before any query

  uint64_t count() const;
  int level() const { return level_; }                          // 0 = exact
  std::span<const SpreadCell> cells() const { return cells_; }  // sorted by value

  // Returns the k-th smallest value, k from 0. If the histogram is not exact, returns the middle of
  // the value's cell.
  double At(uint64_t k) const;
  double Quantile(double share) const;  // interpolated if values are exact; 0 if empty
  double Median() const { return Quantile(0.5); }
  // Returns the median absolute deviation from the median.
  double Mad() const;

  // Returns the part of the distribution in [low, high).
  Spread Cut(uint64_t low, uint64_t high) const;

  void Write(ByteWriter& out) const;  // after Settle()
  static Spread Read(ByteReader& in, size_t most_cells);

 private:
  void Coarsen(int level);
  double MiddleOf(const SpreadCell& cell) const;

  size_t most_cells_;
  int level_ = 0;
  std::vector<SpreadCell> cells_;
  std::vector<uint64_t> pending_;
};

}  // namespace gprofx::variability
