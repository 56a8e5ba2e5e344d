// Reads the line tables of cubins: .debug_line as nvcc and ptxas write it.
//
// The format is DWARF 2 (and the similar headers of versions 3 and 4) with two extended opcodes of
// NVIDIA. 0x90 means "the following rows are inlined at row `context`, and their function is
// `name`"; context 0 ends this. 0x91 means "the following rows are in the function `name`".
// `context` counts the rows of the current sequence from 1; `name` is an offset in .debug_str. Both
// stay in effect until they are set again. An address has several rows, call sites first, so the
// last row at or below an address is its innermost line. Each sequence starts with the address 0
// and a relocation that names its function. The section of that function is the section of the
// sequence. Units of other versions give no lines. Time is linear in the bytes. Memory is 20 bytes
// per row, and a row takes at least one byte of input. Pure.
#pragma once

#include <string>

#include "symbolize/cubin/cubin_elf.h"

namespace gprofx {

inline constexpr uint32_t kNoName = 0xffffffff;

struct LineRow {
  uint32_t offset = 0;  // offset from the start of the section
  uint32_t line = 0;
  uint32_t file = 0;     // index in the unit's files, from 1
  uint32_t context = 0;  // call site: row number in the sequence, from 1; 0 = not inlined
  uint32_t name = kNoName;
};

struct LineUnit {
  // Offsets in .debug_line of the header, the line program and the next unit.
  size_t begin = 0, program = 0, end = 0;
  std::vector<std::string_view> folders;
  struct File {
    std::string_view name;
    uint64_t folder;
  };
  std::vector<File> files;
};

// Consecutive rows of one section whose offsets do not decrease. A run is nearly always a whole
// sequence.
struct LineRun {
  uint32_t section = 0, unit = 0;
  uint32_t sequence_row = 0;              // first row of the sequence, from which `context` counts
  uint32_t begin = 0, end = 0;            // range of rows
  uint32_t low = 0, high = 0;             // offsets [low, high)
  size_t bytes_begin = 0, bytes_end = 0;  // offsets of the whole sequence in .debug_line
};

class LineTable {
 public:
  LineTable() = default;
  explicit LineTable(const CubinElf& elf);

  struct Place {
    std::string_view name;  // mangled; "" = unknown
    std::string file;
    uint32_t line = 0;
  };
  // Returns the line at `offset` in `section`, preceded by the call sites at which it is inlined,
  // outermost first. Empty if there is no line.
  std::vector<Place> At(uint32_t section, uint64_t offset) const;

  bool empty() const { return runs_.empty(); }
  uint32_t section() const { return section_; }  // index of .debug_line, 0 = none
  const std::vector<LineUnit>& units() const { return units_; }
  const std::vector<LineRow>& rows() const { return rows_; }
  const std::vector<LineRun>& runs() const { return runs_; }  // sorted by section and offset
  Bytes names() const { return names_; }                      // .debug_str

 private:
  std::string FileOf(const LineUnit& unit, uint32_t file) const;

  uint32_t section_ = 0;
  Bytes names_;
  std::vector<LineUnit> units_;
  std::vector<LineRow> rows_;
  std::vector<LineRun> runs_;
};

}  // namespace gprofx
