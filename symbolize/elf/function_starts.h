// Finds the start of functions without a name. Even a stripped library has it, because its unwind
// information (.eh_frame) has an entry with a first address and a size for each function.
//
// Method: read the section once from start to end; an entry counts only if it covers one of the
// requested addresses, found by binary search. Time is linear in entries, memory in addresses. The
// content is untrusted: reading stops at the first inconsistent entry. Parts of a function that the
// compiler split off (.cold) have their own entries, and so their own starts.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "symbolize/elf/elf_file.h"

namespace gprofx {

// Returns address -> first address of its function, for those of `addresses` (sorted) that an entry
// covers. Supports 64-bit files; empty for others, and for debug files, which have no unwind
// information.
std::map<uint64_t, uint64_t> FunctionStarts(const ElfFile& file,
                                            const std::vector<uint64_t>& addresses);

}  // namespace gprofx
