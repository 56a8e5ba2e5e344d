// Source frames of addresses from DWARF: the function, the chain of calls inlined into it, and the
// line.
//
// Only units that hold an address are looked into; they are found by .debug_aranges, and by the
// ranges of the units that have none (clang writes none). Within a unit one pass over its functions
// serves all of its addresses. One thread; slow files are cut off by the deadline. Answers refer to
// nothing in the file: they are copies.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "core/model/resolve.h"
#include "symbolize/elf/elf_file.h"

namespace gprofx {

struct DwarfFrames {
  std::vector<SourceFrame> frames;  // outermost first; empty where DWARF knows nothing
  // The outermost name is short (no namespaces, no parameters) or missing: the symbol table has a
  // better one, if any.
  bool prefer_symbol = false;
};

struct DwarfAnswer {
  std::vector<DwarfFrames> of;  // one per address
  bool out_of_time = false;
  bool lacks_split = false;  // functions of some are in .dwo files, which were not found
};

// `addresses` ascend without duplicates.
DwarfAnswer DwarfNames(const ElfFile& file, const std::vector<uint64_t>& addresses,
                       std::chrono::steady_clock::time_point deadline);

}  // namespace gprofx
