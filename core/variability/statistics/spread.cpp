#include "core/variability/statistics/spread.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace gprofx::variability {
namespace {

constexpr int kFirstBits = 12, kMinBits = 3;  // level 1 keeps 11 bits, an error of 0.05 to 0.1 %
constexpr int kLastLevel = kFirstBits - kMinBits;

// Returns how many low bits of `value` the histogram drops at `level`.
int Dropped(uint64_t value, int level) {
  if (level == 0) return 0;
  const int bits = 64 - std::countl_zero(value);
  return std::max(0, bits - (kFirstBits - level));
}

uint64_t Floor(uint64_t value, int level) {
  const int dropped = Dropped(value, level);
  return value >> dropped << dropped;
}

// Sorts by bytes, lowest first (radix sort). Skips bytes that are equal in all values: durations
// differ in two or three bytes.
void SortNumbers(std::vector<uint64_t>& values) {
  uint64_t differ = 0;
  for (const uint64_t value : values) differ |= value ^ values[0];
  std::vector<uint64_t> other(values.size());
  for (int shift = 0; shift < 64; shift += 8) {
    if ((differ >> shift & 0xff) == 0) continue;
    std::array<size_t, 257> place{};
    for (const uint64_t value : values) ++place[(value >> shift & 0xff) + 1];
    for (size_t i = 1; i < place.size(); ++i) place[i] += place[i - 1];
    for (const uint64_t value : values) other[place[value >> shift & 0xff]++] = value;
    values.swap(other);
  }
}

std::vector<SpreadCell> Joined(const std::vector<SpreadCell>& a, const std::vector<SpreadCell>& b) {
  std::vector<SpreadCell> out;
  out.reserve(a.size() + b.size());
  for (size_t i = 0, k = 0; i < a.size() || k < b.size();) {
    if (k == b.size() || (i < a.size() && a[i].value < b[k].value)) {
      out.push_back(a[i++]);
    } else if (i == a.size() || b[k].value < a[i].value) {
      out.push_back(b[k++]);
    } else {
      out.push_back({a[i].value, a[i].count + b[k].count});
      ++i, ++k;
    }
  }
  return out;
}

}  // namespace

void Spread::Coarsen(int level) {
  level_ = std::max(level_, level);
  size_t kept = 0;
  for (const SpreadCell& cell : cells_) {
    const uint64_t value = Floor(cell.value, level_);
    if (kept > 0 && cells_[kept - 1].value == value) {
      cells_[kept - 1].count += cell.count;
    } else {
      cells_[kept++] = {value, cell.count};
    }
  }
  cells_.resize(kept);
}

void Spread::Settle() {
  if (!pending_.empty()) {
    for (uint64_t& value : pending_) value = Floor(value, level_);
    SortNumbers(pending_);
    std::vector<SpreadCell> fresh;
    for (const uint64_t value : pending_) {
      if (fresh.empty() || fresh.back().value != value) fresh.push_back({value, 0});
      ++fresh.back().count;
    }
    cells_ = cells_.empty() ? std::move(fresh) : Joined(cells_, fresh);
    pending_.clear();
    pending_.shrink_to_fit();
  }
  while (cells_.size() > most_cells_ && level_ < kLastLevel) Coarsen(level_ + 1);
}

void Spread::Merge(Spread&& other) {
  other.Settle();
  Settle();
  const int level = std::max(level_, other.level_);
  if (level_ < level) Coarsen(level);
  if (other.level_ < level) other.Coarsen(level);
  cells_ = Joined(cells_, other.cells_);
  Settle();
}

uint64_t Spread::count() const {
  uint64_t count = pending_.size();
  for (const SpreadCell& cell : cells_) count += cell.count;
  return count;
}

double Spread::MiddleOf(const SpreadCell& cell) const {
  const int dropped = Dropped(cell.value, level_);
  const double width = static_cast<double>(uint64_t{1} << dropped);
  return static_cast<double>(cell.value) + (width - 1) / 2;
}

double Spread::At(uint64_t k) const {
  uint64_t before = 0;
  for (const SpreadCell& cell : cells_) {
    before += cell.count;
    if (before > k) return MiddleOf(cell);
  }
  return cells_.empty() ? 0 : MiddleOf(cells_.back());
}

double Spread::Quantile(double share) const {
  const uint64_t n = count();
  if (n == 0) return 0;
  const double place = share * static_cast<double>(n - 1);
  const auto below = static_cast<uint64_t>(place);
  const double low = At(below), high = At(std::min(below + 1, n - 1));
  return low + (high - low) * (place - static_cast<double>(below));
}

double Spread::Mad() const {
  const double middle = Median();
  const auto distance = [&](size_t i) { return std::abs(MiddleOf(cells_[i]) - middle); };
  // Cells are sorted by value. The cell that is next nearest to the middle is therefore the next
  // one on the left or on the right.
  size_t right = 0;
  while (right < cells_.size() && MiddleOf(cells_[right]) < middle) ++right;
  size_t left = right;
  uint64_t before = 0;
  const uint64_t half = (count() + 1) / 2;
  while (left > 0 || right < cells_.size()) {
    const bool is_left =
        right == cells_.size() || (left > 0 && distance(left - 1) <= distance(right));
    const size_t i = is_left ? --left : right++;
    before += cells_[i].count;
    if (before >= half) return distance(i);
  }
  return 0;
}

Spread Spread::Cut(uint64_t low, uint64_t high) const {
  Spread out(most_cells_);
  out.level_ = level_;
  for (const SpreadCell& cell : cells_) {
    if (cell.value >= low && cell.value < high) out.cells_.push_back(cell);
  }
  return out;
}

void Spread::Write(ByteWriter& out) const {
  out.Put(static_cast<uint64_t>(level_));
  out.Put(cells_.size());
  uint64_t before = 0;
  for (const SpreadCell& cell : cells_) {
    out.Put(cell.value - before);
    out.Put(cell.count);
    before = cell.value;
  }
}

Spread Spread::Read(ByteReader& in, size_t most_cells) {
  Spread spread(most_cells);
  spread.level_ = static_cast<int>(std::min<uint64_t>(in.Uleb(), kLastLevel));
  const uint64_t cells = in.Count();
  uint64_t value = 0;
  for (uint64_t i = 0; i < cells && in.ok(); ++i) {
    value += in.Uleb();
    const uint64_t count = in.Uleb();
    spread.cells_.push_back({value, count});
  }
  return spread;
}

}  // namespace gprofx::variability
