// Names the stubs of the procedure linkage table `function@plt`, as objdump does.
//
// A stub jumps to the address in a slot; a relocation fills the slot with the address of the
// function. The jump is decoded, and the slot is searched in the relocations. The layout and order
// of .plt, .plt.sec and .plt.got therefore need not be known. Supports x86-64 and aarch64; on other
// processors, stubs have no name.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "symbolize/elf/elf_file.h"

namespace gprofx {

// Returns "name@plt" for each of `addresses` that is in a stub. `addresses` must be sorted. `file`
// is the module itself.
std::map<uint64_t, std::string> PltNames(const ElfFile& file,
                                         const std::vector<uint64_t>& addresses);

}  // namespace gprofx
