// Source frames of addresses from DWARF: the function, the chain of calls inlined into it, and the
// line.
//
// Reads only units that contain an address. Units are found by .debug_aranges. Units that it does
// not list (clang writes none) are found by their own ranges. One pass over the functions of a unit
// serves all of its addresses. One thread. The deadline stops work on slow files. Answers are
// copies and hold no references to the file.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "core/model/resolve.h"
#include "symbolize/elf/elf_file.h"

namespace gprofx {

struct DwarfFrames {
  std::vector<SourceFrame> frames;  // outermost first; empty if DWARF has no information
  // The outermost name is short (no namespaces, no parameters) or missing. The symbol table's name,
  // if any, is better.
  bool prefer_symbol = false;
};

struct DwarfAnswer {
  std::vector<DwarfFrames> of;  // one per address
  bool out_of_time = false;
  bool lacks_split = false;  // some functions are in .dwo files, which were not found
};

// `addresses` are sorted, without duplicates.
DwarfAnswer DwarfNames(const ElfFile& file, const std::vector<uint64_t>& addresses,
                       std::chrono::steady_clock::time_point deadline);

}  // namespace gprofx
