// Finds the compilation unit that contains each address.
#pragma once

#include <elfutils/libdw.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <vector>

namespace gprofx {

// Maps the offset of a unit's DIE to the sorted indices of the addresses in the unit. `addresses`
// must be sorted. The worst case is linear in the number of units.
using UnitsOfAddresses = std::map<uint64_t, std::vector<uint32_t>>;

UnitsOfAddresses FindUnits(Dwarf* dwarf, const std::vector<uint64_t>& addresses,
                           std::chrono::steady_clock::time_point deadline);

}  // namespace gprofx
