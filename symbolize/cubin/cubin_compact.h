// Reduces a cubin to some of its code sections (Cubin::Compact).
#pragma once

#include <cstddef>
#include <vector>

#include "symbolize/cubin/cubin_elf.h"
#include "symbolize/cubin/cubin_lines.h"

namespace gprofx {

// Returns the reduced cubin. `keep` has a flag for each section of `elf`: whether to keep its code.
std::vector<std::byte> CompactCubin(const CubinElf& elf, const LineTable& lines,
                                    const std::vector<bool>& keep);

}  // namespace gprofx
