// Signal path: no allocation, no locks, bounded loops.
#include "samplers/agent/exec/elf_image.h"

#include "samplers/agent/signals/safe_load.h"

namespace gprofx::agent {
namespace {

uint32_t GnuHash(const char* name) {
  uint32_t h = 5381;
  for (; *name != 0; ++name) h = h * 33 + static_cast<uint8_t>(*name);
  return h;
}

}  // namespace

ElfImage::ElfImage(uint64_t dynamic, uint64_t base) : base_(base) {
  for (int i = 0; i < 128; ++i) {
    int64_t tag = 0;
    uint64_t value = 0;
    uint64_t at = dynamic + static_cast<uint64_t>(i) * 16;
    if (!SafeLoad(at, &tag) || !SafeLoad(at + 8, &value) || tag == DT_NULL) break;
    // ld.so makes these absolute, except in images that it did not map (the vDSO).
    if (value < base_) value += base_;
    if (tag == DT_SYMTAB) symbols_ = value;
    if (tag == DT_STRTAB) strings_ = value;
    if (tag == DT_GNU_HASH) hash_ = value;
  }
}

bool ElfImage::NameIs(uint32_t offset, const char* name) const {
  for (uint64_t i = 0;; ++i) {
    char c = 0;
    if (!SafeLoad(strings_ + offset + i, &c) || c != name[i]) return false;
    if (c == 0) return true;
  }
}

ElfSymbol ElfImage::Find(const char* name) const {
  uint32_t buckets = 0, first = 0, bloom_words = 0;
  if (hash_ == 0 || symbols_ == 0 || strings_ == 0 || !SafeLoad(hash_, &buckets) ||
      !SafeLoad(hash_ + 4, &first) || !SafeLoad(hash_ + 8, &bloom_words) || buckets == 0) {
    return {};
  }
  uint32_t h = GnuHash(name);
  uint64_t bucket_table = hash_ + 16 + uint64_t{bloom_words} * 8;
  uint64_t chains = bucket_table + uint64_t{buckets} * 4;
  uint32_t index = 0;
  if (!SafeLoad(bucket_table + h % buckets * 4, &index) || index < first) return {};
  for (int i = 0; i < 4096; ++i, ++index) {
    uint32_t value = 0;
    if (!SafeLoad(chains + uint64_t{index - first} * 4, &value)) return {};
    if ((value | 1) == (h | 1)) {
      uint64_t at = symbols_ + uint64_t{index} * sizeof(Elf64_Sym);
      uint32_t name_offset = 0;
      uint16_t section = 0;
      ElfSymbol symbol;
      bool read = SafeLoad(at, &name_offset) && SafeLoad(at + 6, &section) &&
                  SafeLoad(at + 8, &symbol.address) && SafeLoad(at + 16, &symbol.size);
      if (read && section != SHN_UNDEF && NameIs(name_offset, name)) {
        symbol.address += base_;
        return symbol;
      }
    }
    if (value & 1) break;
  }
  return {};
}

uint32_t ReadBuildId(uint64_t begin, uint64_t base, uint8_t* to, uint32_t room) {
  uint32_t magic = 0;
  uint64_t headers = 0;
  uint16_t count = 0;
  if (!SafeLoad(begin, &magic) || magic != 0x464c457f || !SafeLoad(begin + 32, &headers) ||
      !SafeLoad(begin + 56, &count)) {
    return 0;
  }
  for (uint16_t i = 0; i < count && i < 64; ++i) {
    uint64_t at = begin + headers + i * sizeof(Elf64_Phdr);
    uint32_t type = 0;
    uint64_t note = 0, bytes = 0;
    if (!SafeLoad(at, &type) || type != PT_NOTE) continue;
    if (!SafeLoad(at + 16, &note) || !SafeLoad(at + 32, &bytes)) continue;
    note += base;
    uint64_t end = note + (bytes < 4096 ? bytes : 4096);
    while (note + 12 <= end) {
      uint32_t name_size = 0, size = 0, kind = 0, name = 0;
      if (!SafeLoad(note, &name_size) || !SafeLoad(note + 4, &size) || !SafeLoad(note + 8, &kind))
        break;
      if (name_size > 4096 || size > 4096) break;
      uint64_t content = note + 12 + ((name_size + 3) & ~3u);
      bool gnu = name_size == 4 && SafeLoad(note + 12, &name) && name == 0x00554e47;
      if (gnu && kind == NT_GNU_BUILD_ID) {
        uint32_t length = size < room ? size : room;
        return SafeCopy(to, content, length) ? length : 0;
      }
      note = content + ((size + 3) & ~3u);
    }
  }
  return 0;
}

}  // namespace gprofx::agent
