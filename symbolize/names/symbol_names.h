// Function symbols for a set of addresses.
//
// Method: the symbol tables are passed once, in file order; a symbol is kept only if an address
// lies in it, found by binary search in the sorted addresses. So n symbols and q addresses cost O(n
// log q) time and O(q) memory, and a table of a million symbols is neither sorted nor copied.
//
// A symbol names the addresses inside its size and no others: there is no "nearest symbol". Symbols
// without a size (assembler) reach up to the next symbol of their section. The rules among several
// are in symbol_names.cpp. Pure but for libelf reading the file; one thread.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "symbolize/elf/elf_file.h"

namespace gprofx {

struct SymbolMatch {
  std::string_view
      name;  // as in the file, versions and suffixes included; lives as long as the ElfFile
  uint64_t start = 0;
};

class SymbolNames {
 public:
  // Ascending, without duplicates; must outlive this.
  explicit SymbolNames(const std::vector<uint64_t>& addresses);

  // .symtab if the file has one, else .dynsym. May be called for several files that describe the
  // same module.
  void AddTables(const ElfFile& file);

  // One per address; an empty name where no symbol covers the address. Call once, after the last
  // AddTables.
  std::vector<SymbolMatch> Finish();

 private:
  struct Candidate {
    std::string_view name;
    uint64_t start = 0, end = 0;  // end == start: without a size
    uint8_t local = 0, weak = 0, untyped = 0;
  };
  // Of addresses_[i]: symbols that start after addresses_[i - 1], up to addresses_[i]
  struct Bucket {
    uint64_t last_start = 0;  // of any code symbol
    bool has_start = false;
    uint32_t sizeless = 0;  // 1-based index into sizeless_: the best of those with the latest start
  };

  void AddTable(const ElfFile& file, const ElfSection& table);
  void Add(const Candidate& symbol, const ElfSection& section);
  static bool Better(const Candidate& a, const Candidate& b);

  const std::vector<uint64_t>& addresses_;
  std::vector<Candidate> sized_;
  std::vector<Candidate> sizeless_;
  std::vector<uint64_t> sizeless_section_end_;
  std::vector<Bucket> buckets_;
};

}  // namespace gprofx
