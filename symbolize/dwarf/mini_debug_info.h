// Opens MiniDebugInfo: a small ELF file in the section .gnu_debugdata, compressed with xz. It has
// the function symbols that the dynamic symbol table lacks. Packages of Fedora and others contain
// it.
#pragma once

#include <optional>

#include "symbolize/elf/elf_file.h"

namespace gprofx {

// Returns the small file. No value if there is none, if it is damaged, or if it would take more
// than 64 MiB.
std::optional<ElfFile> OpenMiniDebugInfo(const ElfFile& file);

}  // namespace gprofx
