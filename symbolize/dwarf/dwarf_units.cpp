#include "symbolize/dwarf/dwarf_units.h"

#include <algorithm>
#include <unordered_set>

namespace gprofx {
namespace {

struct Arange {
  uint64_t start, end, unit;
};

std::vector<Arange> ReadAranges(Dwarf* dwarf) {
  std::vector<Arange> out;
  Dwarf_Aranges* aranges = nullptr;
  size_t count = 0;
  if (dwarf_getaranges(dwarf, &aranges, &count) != 0) return out;
  for (size_t i = 0; i < count; i++) {
    Dwarf_Addr start = 0;
    Dwarf_Word size = 0;
    Dwarf_Off unit = 0;
    Dwarf_Arange* arange = dwarf_onearange(aranges, i);
    if (arange == nullptr || dwarf_getarangeinfo(arange, &start, &size, &unit) != 0) continue;
    out.push_back({start, start + size, unit});
  }
  return out;
}

void Assign(const std::vector<uint64_t>& addresses, uint64_t start, uint64_t end, uint64_t unit,
            std::vector<uint64_t>& unit_of) {
  auto at = std::lower_bound(addresses.begin(), addresses.end(), start);
  for (; at != addresses.end() && *at < end; ++at) {
    uint64_t& owner = unit_of[static_cast<size_t>(at - addresses.begin())];
    if (owner == 0) owner = unit;
  }
}

// Finds the units that .debug_aranges does not list, by their own ranges, and sets unit_of of the
// addresses in them.
void AssignOtherUnits(Dwarf* dwarf, const std::unordered_set<uint64_t>& known,
                      const std::vector<uint64_t>& addresses, std::vector<uint64_t>& unit_of,
                      std::chrono::steady_clock::time_point deadline) {
  Dwarf_CU* unit = nullptr;
  Dwarf_Die die;
  while (dwarf_get_units(dwarf, unit, &unit, nullptr, nullptr, &die, nullptr) == 0) {
    const uint64_t offset = dwarf_dieoffset(&die);
    if (known.contains(offset)) continue;
    if (std::chrono::steady_clock::now() > deadline) return;
    Dwarf_Addr base = 0, start = 0, end = 0;
    for (ptrdiff_t next = 0; (next = dwarf_ranges(&die, next, &base, &start, &end)) > 0;) {
      Assign(addresses, start, end, offset, unit_of);
    }
  }
}

}  // namespace

UnitsOfAddresses FindUnits(Dwarf* dwarf, const std::vector<uint64_t>& addresses,
                           std::chrono::steady_clock::time_point deadline) {
  // The unit of each address, as the offset of its DIE. 0 = no unit found: a unit header, and never
  // a DIE, is at offset 0.
  std::vector<uint64_t> unit_of(addresses.size(), 0);
  std::unordered_set<uint64_t> known;
  for (const Arange& arange : ReadAranges(dwarf)) {
    known.insert(arange.unit);
    Assign(addresses, arange.start, arange.end, arange.unit, unit_of);
  }
  if (std::find(unit_of.begin(), unit_of.end(), 0) != unit_of.end()) {
    AssignOtherUnits(dwarf, known, addresses, unit_of, deadline);
  }
  UnitsOfAddresses units;
  for (uint32_t i = 0; i < unit_of.size(); i++) {
    if (unit_of[i] != 0) units[unit_of[i]].push_back(i);
  }
  return units;
}

}  // namespace gprofx
