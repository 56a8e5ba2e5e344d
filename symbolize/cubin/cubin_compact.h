// Cutting a cubin down to some of its sections of code; see Cubin::Compact.
#pragma once

#include <cstddef>
#include <vector>

#include "symbolize/cubin/cubin_elf.h"
#include "symbolize/cubin/cubin_lines.h"

namespace gprofx {

// `keep`: for each section of `elf`, whether its code is wanted.
std::vector<std::byte> CompactCubin(const CubinElf& elf, const LineTable& lines,
                                    const std::vector<bool>& keep);

}  // namespace gprofx
