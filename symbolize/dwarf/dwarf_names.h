// Finds the source frames of addresses in DWARF: the function, the chain of calls inlined into it,
// and the line.
//
// Reads only compilation units that contain one of the addresses. They are found by .debug_aranges;
// units that it does not list (clang writes no such section) are found by their own ranges. One
// pass over the functions of a unit handles all of its addresses. One thread. Work on slow files
// stops at the deadline. Answers are copies and hold no references to the file.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "core/model/resolve.h"
#include "symbolize/elf/elf_file.h"

namespace gprofx {

struct DwarfFrames {
  std::vector<SourceFrame> frames;  // outermost first; empty if DWARF has no information
  // True if the outermost name is missing or short (without namespaces and parameters). A name from
  // the symbol table is then better.
  bool prefer_symbol = false;
};

struct DwarfAnswer {
  std::vector<DwarfFrames> of;  // one per address
  bool out_of_time = false;
  bool lacks_split = false;  // some functions are in .dwo files, which were not found
};

// Returns the frames of each address, in the order of `addresses`, which must be sorted and without
// duplicates.
DwarfAnswer DwarfNames(const ElfFile& file, const std::vector<uint64_t>& addresses,
                       std::chrono::steady_clock::time_point deadline);

}  // namespace gprofx
