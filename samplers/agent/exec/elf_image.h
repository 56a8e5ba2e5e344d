// Runs in signal handlers. Reads symbols and the build-id of a loaded ELF image from the image's
// own memory. Symbols are found by the GNU hash. All loops are bounded and all loads are safe
// loads, because the image may be unmapped or malformed.
#pragma once

#include <elf.h>

#include <cstdint>

#include "samplers/agent/signals/safe_load.h"
#include "samplers/wire/elf_symbols.h"

namespace gprofx::agent {

struct ElfSymbol {
  uint64_t address = 0;  // 0 = not found
  uint64_t size = 0;
};

class ElfImage {
 public:
  // `dynamic` is the address of the dynamic section, `base` is the load bias.
  ElfImage(uint64_t dynamic, uint64_t base) : symbols_({}, dynamic, base) {}
  ElfSymbol Find(const char* name) const;
  uint64_t base() const { return symbols_.base(); }

 private:
  struct Memory {
    template <class T>
    bool Load(uint64_t at, T* to) const {
      return SafeCopy(to, at, sizeof *to);
    }
    bool IsText(uint64_t at, const char* text) const;
  };

  wire::ElfSymbols<Memory> symbols_;
};

// Copies the build-id of the image whose ELF header is at `begin` to `to`. Returns its length in
// bytes, or 0 if there is none.
uint32_t ReadBuildId(uint64_t begin, uint64_t base, uint8_t* to, uint32_t room);

}  // namespace gprofx::agent
