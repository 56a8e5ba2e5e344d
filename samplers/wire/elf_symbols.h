// Finds symbols of a loaded ELF image by its GNU hash table. Reads the table from memory, of this
// process or of another one.
//
// Pure and bounded: no allocation, no locks. The image may be unmapped, or malformed by a hostile
// process. Source: the generic ABI (gABI) and "GNU Hash ELF Sections" (Ali Bahrami, 2017).
#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>

namespace gprofx::wire {

// `Memory` must have `template <class T> bool Load(uint64_t at, T* to) const` and `bool
// IsText(uint64_t at, const char* text) const`. IsText returns true if `text` and a zero byte are
// at `at`.
template <class Memory>
class ElfSymbols {
 public:
  // `dynamic` is the address of the dynamic section, `base` is the load bias.
  ElfSymbols(const Memory& memory, uint64_t dynamic, uint64_t base) : memory_(memory), base_(base) {
    Elf64_Dyn entry{};
    for (uint64_t i = 0; i < kMaxTags; ++i) {
      if (!memory_.Load(dynamic + i * sizeof entry, &entry) || entry.d_tag == DT_NULL) break;
      // The loader makes these values absolute, except in images that it cannot write to or did not
      // map.
      const uint64_t value = entry.d_un.d_ptr < base ? entry.d_un.d_ptr + base : entry.d_un.d_ptr;
      if (entry.d_tag == DT_SYMTAB) symbols_ = value;
      if (entry.d_tag == DT_STRTAB) strings_ = value;
      if (entry.d_tag == DT_GNU_HASH) hash_ = value;
    }
  }

  // Finds the first definition of `name` for which `accepts` returns true. Copies it to *symbol and
  // makes st_value an absolute address. Returns false if there is none.
  template <class Accepts>
  bool Find(const char* name, Accepts accepts, Elf64_Sym* symbol) const {
    Header header{};
    if (hash_ == 0 || symbols_ == 0 || strings_ == 0 || !memory_.Load(hash_, &header) ||
        header.buckets == 0)
      return false;
    const uint32_t wanted = HashOf(name);
    const uint64_t buckets = hash_ + sizeof header + uint64_t{header.bloom_words} * 8;
    const uint64_t chains = buckets + uint64_t{header.buckets} * 4;
    uint32_t index = 0, hash = 0;
    if (!memory_.Load(buckets + uint64_t{wanted % header.buckets} * 4, &index) ||
        index < header.first_symbol)
      return false;
    for (uint32_t steps = 0; steps < kMaxChain; ++steps, ++index) {
      if (!memory_.Load(chains + uint64_t{index - header.first_symbol} * 4, &hash)) return false;
      if ((hash | 1) == (wanted | 1) &&
          memory_.Load(symbols_ + uint64_t{index} * sizeof *symbol, symbol) &&
          symbol->st_shndx != SHN_UNDEF && accepts(*symbol) &&
          memory_.IsText(strings_ + symbol->st_name, name)) {
        symbol->st_value += base_;
        return true;
      }
      if ((hash & 1) != 0) break;  // the end of the hash chain
    }
    return false;
  }
  bool Find(const char* name, Elf64_Sym* symbol) const {
    return Find(
        name, [](const Elf64_Sym&) { return true; }, symbol);
  }

  uint64_t base() const { return base_; }

 private:
  static constexpr uint64_t kMaxTags = 512;
  static constexpr uint32_t kMaxChain = 1u << 16;
  struct Header {
    uint32_t buckets, first_symbol, bloom_words, bloom_shift;
  };

  static uint32_t HashOf(const char* name) {
    uint32_t hash = 5381;
    for (; *name != 0; ++name) hash = hash * 33 + static_cast<uint8_t>(*name);
    return hash;
  }

  Memory memory_;
  uint64_t base_;
  uint64_t symbols_ = 0, strings_ = 0, hash_ = 0;
};

}  // namespace gprofx::wire
