// How values are spread: a histogram of whole numbers that is exact as long as they take few
// different values, and then keeps as many leading bits as fit.
//
// Merging is exact in this sense: whatever order values and parts come in, the result is the same,
// because the number of bits kept is the largest with at most `most_cells` different values of the
// whole, and fewer bits are always a sum of cells with more. Not thread safe; memory: 16 bytes a
// cell and a buffer of as many values.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/variability/stages/bytes.h"

namespace gprofx::variability {

struct SpreadCell {
  uint64_t value = 0;  // the least of those in the cell
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
  void Settle();  // before anything is asked

  uint64_t count() const;
  int level() const { return level_; }                          // 0 = exact
  std::span<const SpreadCell> cells() const { return cells_; }  // in order of value

  // The k-th smallest, k from 0; the middle of its cell.
  double At(uint64_t k) const;
  double Quantile(double share) const;  // between neighbours where they are exact; 0 of none
  double Median() const { return Quantile(0.5); }
  // Median distance from the median.
  double Mad() const;

  // Only the cells in [low, high).
  Spread Cut(uint64_t low, uint64_t high) const;

  void Write(ByteWriter& out) const;  // settled
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
