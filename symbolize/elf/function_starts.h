// Where functions begin that have no name: a stripped library still says it, because its unwind
// information (.eh_frame) has one entry with a first address and a size for each function.
//
// Method: the section is read once from its begin to its end; an entry counts only if an address
// lies in it, found by binary search. Linear in entries, memory by addresses. The content is
// hostile: reading stops at the first entry that does not hold together. Parts of a function that
// the compiler moved away (.cold) have entries, and so starts, of their own.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "symbolize/elf/elf_file.h"

namespace gprofx {

// Address -> first address of its function, for those of `addresses` (ascending) that an entry
// covers. Of 64-bit files; empty for others, and for debug files, which have no unwind information.
std::map<uint64_t, uint64_t> FunctionStarts(const ElfFile& file,
                                            const std::vector<uint64_t>& addresses);

}  // namespace gprofx
