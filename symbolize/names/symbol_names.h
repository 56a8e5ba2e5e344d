// Function symbols for a set of addresses.
//
// Method: scan the symbol tables once, in file order; keep a symbol only if it covers an address,
// found by binary search in the sorted addresses. So n symbols and q addresses cost O(n log q) time
// and O(q) memory, and a table of a million symbols is neither sorted nor copied.
//
// A symbol names the addresses within its size and no others: there is no "nearest symbol". Symbols
// without a size (assembler) reach up to the next symbol of their section. The rules for choosing
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
  // `addresses` are sorted, without duplicates, and must outlive this object.
  explicit SymbolNames(const std::vector<uint64_t>& addresses);

  // Reads .symtab if the file has one, else .dynsym. May be called for several files that describe
  // the same module.
  void AddTables(const ElfFile& file);

  // Returns one match per address, with an empty name where no symbol covers it. Call once, after
  // the last AddTables.
  std::vector<SymbolMatch> Finish();

 private:
  struct Candidate {
    std::string_view name;
    uint64_t start = 0, end = 0;  // end == start: no size
    uint8_t local = 0, weak = 0, untyped = 0;
  };
  // Entry i of buckets_: the symbols that start after addresses_[i - 1] and not after
  // addresses_[i].
  struct Bucket {
    uint64_t last_start = 0;  // latest start of any code symbol
    bool has_start = false;
    uint32_t sizeless = 0;  // 1-based index into sizeless_: the best one with the latest start
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
