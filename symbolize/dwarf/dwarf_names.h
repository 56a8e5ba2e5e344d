// Finds the source frames of addresses in DWARF: the function, the chain of calls inlined into it,
// and the line.
//
// Reads only units that contain an address. They are found by .debug_aranges. Units that it does
// not list (clang writes no such section) are found by their own ranges. One pass over the
// functions of a unit handles all of its addresses. One thread. The deadline stops work on slow
// files. Answers are copies and hold no references to the file.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "core/model/resolve.h"
#include "symbolize/elf/elf_file.h"

namespace gprofx {

struct DwarfFrames {
  std::vector<SourceFrame> frames;  // outermost first; empty if DWARF has no information
  // True if the outermost name is missing or short (no namespaces, no parameters). The name in the
  // symbol table, if there is one, is then better.
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
