// Finds the function symbols that cover a set of addresses.
//
// Method: the symbol tables are scanned once, in file order. A symbol is kept only if it covers an
// address, which is found by binary search in the sorted addresses. n symbols and q addresses
// therefore take O(n log q) time and O(q) memory, and a table of a million symbols is neither
// sorted nor copied.
//
// A symbol names only the addresses within its size: there is no "nearest symbol". A symbol without
// a size (from assembler code) extends to the next symbol of its section. The rules for choosing
// among several symbols are in symbol_names.cpp. Pure, except that libelf reads the file; one
// thread.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "symbolize/elf/elf_file.h"

namespace gprofx {

struct SymbolMatch {
  std::string_view
      name;  // as in the file, with versions and suffixes; valid as long as the ElfFile
  uint64_t start = 0;
};

class SymbolNames {
 public:
  // `addresses` must be sorted and without duplicates, and must outlive this object.
  explicit SymbolNames(const std::vector<uint64_t>& addresses);

  // Reads .symtab if the file has one, else .dynsym. May be called for several files that describe
  // the same module.
  void AddTables(const ElfFile& file);

  // Returns one match per address. Its name is empty if no symbol covers the address. Call once,
  // after the last AddTables.
  std::vector<SymbolMatch> Finish();

 private:
  struct Candidate {
    std::string_view name;
    uint64_t start = 0, end = 0;  // end == start: the symbol has no size
    uint8_t local = 0, weak = 0, untyped = 0;
  };
  // buckets_[i] holds the symbols that start after addresses_[i - 1] and at or before
  // addresses_[i].
  struct Bucket {
    uint64_t last_start = 0;  // latest start of a code symbol
    bool has_start = false;
    // Best of the symbols with the latest start, as 1 + its index in sizeless_.
    uint32_t sizeless = 0;
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
