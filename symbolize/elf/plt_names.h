// Names of procedure linkage stubs, `function@plt`, as objdump prints them.
//
// A stub jumps through a slot that a relocation fills with the function. The jump is decoded and
// the slot looked up, so the layout and order of .plt, .plt.sec and .plt.got need not be known.
// x86-64 and aarch64; on other processors stubs have no name.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "symbolize/elf/elf_file.h"

namespace gprofx {

// Returns address -> "name@plt", for those of `addresses` (sorted) that lie in a stub. `file` is
// the module itself.
std::map<uint64_t, std::string> PltNames(const ElfFile& file,
                                         const std::vector<uint64_t>& addresses);

}  // namespace gprofx
