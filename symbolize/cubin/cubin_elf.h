// Reads the ELF parts of a cubin: sections, symbols and relocations. The results are bounds checked
// views of the input. Accepts little-endian ELF64 files of machine EM_CUDA, even with more than
// 65,279 sections, which some kernel libraries have. Memory stays within a small multiple of the
// file's tables. Pure; any thread once opened.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace gprofx {

using Bytes = std::span<const std::byte>;

// Returns the T at `offset`; no value if it extends beyond the end of the bytes.
template <class T>
std::optional<T> LoadAt(Bytes bytes, uint64_t offset) {
  if (offset > bytes.size() || sizeof(T) > bytes.size() - offset) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

// Returns the text at `offset`. It ends at its NUL, at the end of the table or after kLongestName
// bytes.
inline constexpr size_t kLongestName = size_t{64} << 10;
std::string_view TextAt(Bytes table, uint64_t offset);

struct CubinSection {
  std::string_view name;
  Elf64_Shdr header;
  Bytes data;  // empty for SHT_NOBITS and if the file is truncated
};

struct CubinSymbol {
  std::string_view name;
  Elf64_Sym raw;
  uint32_t section = 0;  // 0 = none
  uint8_t type() const { return ELF64_ST_TYPE(raw.st_info); }
  uint8_t binding() const { return ELF64_ST_BIND(raw.st_info); }
  bool entry() const { return (raw.st_other & 0x10) != 0; }  // STO_CUDA_ENTRY
};

// An entry of a section of type SHT_REL or SHT_RELA.
struct CubinRelocation {
  uint64_t offset = 0;
  uint32_t symbol = 0, type = 0;
  std::optional<int64_t> addend;  // unset: the addend is stored at `offset`
};

class CubinElf {
 public:
  static Result<CubinElf> Open(Bytes bytes);

  const Elf64_Ehdr& header() const { return header_; }
  const std::vector<CubinSection>& sections() const { return sections_; }
  const std::vector<CubinSymbol>& symbols() const { return symbols_; }
  uint32_t symbol_section() const { return symtab_; }  // index of .symtab, 0 = none

  uint32_t Find(std::string_view name) const;  // first section with this name, 0 = none
  // Returns the first section that has relocations for `section`; 0 if none has.
  uint32_t RelocationsOf(uint32_t section) const { return relocations_[section]; }
  // Returns the entries of a relocation section, in file order.
  std::vector<CubinRelocation> Relocations(uint32_t section) const;
  size_t file_size() const { return file_size_; }

 private:
  Status ReadSections(Bytes bytes);
  Status ReadSymbols();
  void FindRelocations();
  std::string_view Name(Bytes table, uint64_t offset);

  Elf64_Ehdr header_ = {};
  size_t file_size_ = 0;
  uint64_t name_bytes_ = 0;
  std::vector<CubinSection> sections_;
  std::vector<CubinSymbol> symbols_;
  std::vector<uint32_t> relocations_;
  uint32_t symtab_ = 0;
};

}  // namespace gprofx
