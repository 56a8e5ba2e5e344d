#include "core/variability/stages/cells.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/variability/event.h"

namespace gprofx::variability {
namespace {

bool IsBefore(const CellRow& a, const CellRow& b) { return a.key < b.key; }

// Merges two sorted tables. Cells with equal keys are added up.
std::vector<CellRow> Joined(const std::vector<CellRow>& a, const std::vector<CellRow>& b) {
  std::vector<CellRow> out;
  out.reserve(a.size() + b.size());
  auto left = a.begin(), right = b.begin();
  while (left != a.end() && right != b.end()) {
    if (left->key == right->key) {
      out.push_back(*left++);
      out.back().cell.Add(right++->cell);
    } else {
      out.push_back(left->key < right->key ? *left++ : *right++);
    }
  }
  out.insert(out.end(), left, a.end());
  out.insert(out.end(), right, b.end());
  return out;
}

}  // namespace

std::string_view BesideWord(Beside beside) {
  static constexpr std::string_view kWords[] = {"copy", "collective", "kernel", "idle"};
  return kWords[static_cast<size_t>(beside)];
}

void Cell::Add(const Cell& other) {
  n += other.n;
  AddWrapped(sum, other.sum);
  sum_r += other.sum_r;
  least = std::min(least, other.least);
  most = std::max(most, other.most);
  for (size_t i = 0; i < kBesides; ++i) beside[i] += other.beside[i];
}

void Cells::Settle() {
  if (open_.empty()) return;
  std::vector<CellRow> fresh;
  fresh.reserve(open_.size());
  for (const auto& [key, cell] : open_) fresh.push_back({key, cell});
  open_.clear();
  std::sort(fresh.begin(), fresh.end(), IsBefore);
  rows_ = rows_.empty() ? std::move(fresh) : Joined(rows_, fresh);
}

void Cells::Merge(Cells&& other) {
  Settle();
  other.Settle();
  rows_ = rows_.empty() ? std::move(other.rows_) : Joined(rows_, other.rows_);
}

void Cells::Write(ByteWriter& out) const {
  out.Put(rows_.size());
  uint32_t group = 0;
  for (const auto& [key, cell] : rows_) {
    out.Put(key.group - group);
    group = key.group;
    for (const uint32_t id : {key.lane, key.bin}) out.Put(id);
    out.Put(cell.n);
    for (const int64_t number : {cell.sum, cell.sum_r, cell.least, cell.most}) {
      out.PutSigned(number);
    }
    for (const uint32_t count : cell.beside) out.Put(count);
  }
}

bool Cells::Read(ByteReader& in, Cells& cells) {
  cells.rows_.resize(in.Count());
  const CellRow* before = nullptr;
  uint32_t group = 0;
  for (CellRow& row : cells.rows_) {
    auto& [key, cell] = row;
    key.group = group += static_cast<uint32_t>(in.Uleb());
    for (uint32_t* id : {&key.lane, &key.bin}) *id = static_cast<uint32_t>(in.Uleb());
    cell.n = in.Uleb();
    for (int64_t* number : {&cell.sum, &cell.sum_r, &cell.least, &cell.most}) {
      *number = in.Zigzag();
    }
    for (uint32_t& count : cell.beside) count = static_cast<uint32_t>(in.Uleb());
    if (before != nullptr && !IsBefore(*before, row)) return false;
    before = &row;
  }
  return in.ok();
}

}  // namespace gprofx::variability
