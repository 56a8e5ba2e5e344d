#include "symbolize/dwarf/dwarf_tree.h"

#include <dwarf.h>

#include <algorithm>

namespace gprofx {
namespace {

constexpr int kMaxDepth = 64;
constexpr int kMaxRangesPerDie = 65536;

}  // namespace

bool DwarfTree::TimeIsUp() {
  constexpr uint32_t kVisitsPerLook = 4096;
  if (++visits_ % kVisitsPerLook == 0 && std::chrono::steady_clock::now() > deadline_)
    out_of_time_ = true;
  return out_of_time_;
}

std::vector<uint32_t> DwarfTree::Place(Dwarf_Die unit, std::span<const uint64_t> addresses) {
  addresses_ = addresses;
  scopes_.clear();
  placed_.assign(addresses.size(), kNone);
  Subset all(addresses.size());
  for (uint32_t i = 0; i < all.size(); i++) all[i] = i;
  Walk(unit, all, kNone, 0);
  Subset left;
  for (const uint32_t i : all) {
    if (placed_[i] == kNone) left.push_back(i);
  }
  if (!left.empty()) Search(unit, left, 0);
  return placed_;
}

// Searches the whole unit for functions that contain the addresses in `subset`: following the
// ranges of enclosing entries has led to no function for them. Functions of local classes, above
// all lambdas, are described inside the enclosing function but are outside of its ranges. The
// search visits all types of the unit.
void DwarfTree::Search(Dwarf_Die die, const Subset& subset, int depth) {
  Dwarf_Die child;
  if (depth >= kMaxDepth || dwarf_child(&die, &child) != 0) return;
  do {
    if (TimeIsUp()) return;
    switch (dwarf_tag(&child)) {
      case DW_TAG_subprogram:
        Visit(child, subset, kNone, depth);
        Search(child, subset, depth + 1);
        break;
      case DW_TAG_lexical_block:
      case DW_TAG_namespace:
      case DW_TAG_module:
      case DW_TAG_class_type:
      case DW_TAG_structure_type:
      case DW_TAG_union_type:
        Search(child, subset, depth + 1);
        break;
      default:
        break;
    }
  } while (dwarf_siblingof(&child, &child) == 0);
}

DwarfTree::Subset DwarfTree::Inside(Dwarf_Die die, const Subset& subset, bool& has_ranges) const {
  Subset inside;
  Dwarf_Addr base = 0, start = 0, end = 0;
  ptrdiff_t offset = 0;
  has_ranges = false;
  for (int i = 0; i < kMaxRangesPerDie; i++) {
    offset = dwarf_ranges(&die, offset, &base, &start, &end);
    if (offset <= 0) break;
    has_ranges = true;
    auto at = std::lower_bound(
        subset.begin(), subset.end(), start,
        [this](uint32_t index, uint64_t value) { return addresses_[index] < value; });
    for (; at != subset.end() && addresses_[*at] < end; ++at) inside.push_back(*at);
  }
  // Ranges are in no order, and in damaged files they may overlap.
  if (!std::is_sorted(inside.begin(), inside.end())) std::sort(inside.begin(), inside.end());
  inside.erase(std::unique(inside.begin(), inside.end()), inside.end());
  return inside;
}

void DwarfTree::Walk(Dwarf_Die die, const Subset& subset, uint32_t scope, int depth) {
  Dwarf_Die child;
  if (depth >= kMaxDepth || dwarf_child(&die, &child) != 0) return;
  do {
    if (TimeIsUp()) return;
    Visit(child, subset, scope, depth);
  } while (dwarf_siblingof(&child, &child) == 0);
}

void DwarfTree::Visit(Dwarf_Die child, const Subset& subset, uint32_t scope, int depth) {
  bool has_ranges = false;
  switch (dwarf_tag(&child)) {
    case DW_TAG_subprogram:
    case DW_TAG_inlined_subroutine: {
      const Subset inside = Inside(child, subset, has_ranges);
      if (inside.empty()) return;
      const bool is_inlined = dwarf_tag(&child) == DW_TAG_inlined_subroutine;
      const auto index = static_cast<uint32_t>(scopes_.size());
      // A function inside another one (GNU C, Fortran, lambdas) is called and not inlined.
      scopes_.push_back({child, is_inlined ? scope : kNone});
      for (const uint32_t address : inside) placed_[address] = index;
      Walk(child, inside, index, depth + 1);
      return;
    }
    case DW_TAG_lexical_block:
    case DW_TAG_try_block:
    case DW_TAG_catch_block:
    case DW_TAG_with_stmt: {
      const Subset inside = Inside(child, subset, has_ranges);
      if (has_ranges && inside.empty()) return;
      Walk(child, has_ranges ? inside : subset, scope, depth + 1);
      return;
    }
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
      if (scope == kNone) Walk(child, subset, scope, depth + 1);
      return;
    default:
      return;
  }
}

}  // namespace gprofx
