// Which compilation unit holds each address.
#pragma once

#include <elfutils/libdw.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <vector>

namespace gprofx {

// Offset of the unit's DIE -> indices of `addresses` (ascending), themselves ascending. Linear in
// the units at worst.
using UnitsOfAddresses = std::map<uint64_t, std::vector<uint32_t>>;

UnitsOfAddresses FindUnits(Dwarf* dwarf, const std::vector<uint64_t>& addresses,
                           std::chrono::steady_clock::time_point deadline);

}  // namespace gprofx
