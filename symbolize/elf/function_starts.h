// Finds the starts of functions that have no name. Even a stripped library has them: its unwind
// information (.eh_frame) has an entry for each function, with its first address and size.
//
// Method: the section is read once from start to end. An entry is used only if it covers one of the
// requested addresses, which are found by binary search. Time is linear in entries, memory in
// addresses. The content is untrusted: reading stops at the first inconsistent entry. If the
// compiler split off a part of a function (.cold), the part has its own entry and therefore its own
// start.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "symbolize/elf/elf_file.h"

namespace gprofx {

// Returns the first address of the function for each of `addresses` that an entry covers.
// `addresses` must be sorted. Returns an empty map for files that are not 64-bit files for x86-64
// or aarch64, and for debug files, which have no unwind information.
std::map<uint64_t, uint64_t> FunctionStarts(const ElfFile& file,
                                            const std::vector<uint64_t>& addresses);

}  // namespace gprofx
