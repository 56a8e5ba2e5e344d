// Runs in signal handlers: no allocation, no locks, bounded loops.
#include "samplers/agent/exec/elf_image.h"

namespace gprofx::agent {

bool ElfImage::Memory::IsText(uint64_t at, const char* text) const {
  for (uint64_t i = 0;; ++i) {
    char c = 0;
    if (!SafeLoad(at + i, &c) || c != text[i]) return false;
    if (c == 0) return true;
  }
}

ElfSymbol ElfImage::Find(const char* name) const {
  Elf64_Sym symbol;
  if (!symbols_.Find(name, &symbol)) return {};
  return {symbol.st_value, symbol.st_size};
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
