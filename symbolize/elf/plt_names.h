// Names the stubs of the procedure linkage table `function@plt`, as objdump does.
//
// A stub jumps through a slot that a relocation fills with the address of the function. The jump is
// decoded and the slot is looked up, so the layout and order of .plt, .plt.sec and .plt.got need
// not be known. Supports x86-64 and aarch64; on other processors, stubs have no name.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "symbolize/elf/elf_file.h"

namespace gprofx {

// Returns address -> "name@plt", for those of `addresses` that are in a stub. `addresses` must be
// sorted. `file` is the module itself.
std::map<uint64_t, std::string> PltNames(const ElfFile& file,
                                         const std::vector<uint64_t>& addresses);

}  // namespace gprofx
