// Opens MiniDebugInfo: a small ELF file in the section .gnu_debugdata, compressed with xz. It has
// the function symbols that the dynamic symbol table lacks. Fedora and others ship it.
#pragma once

#include <optional>

#include "symbolize/elf/elf_file.h"

namespace gprofx {

// Returns no value if there is none, if it is damaged, or if it would take more than 64 MiB.
std::optional<ElfFile> OpenMiniDebugInfo(const ElfFile& file);

}  // namespace gprofx
