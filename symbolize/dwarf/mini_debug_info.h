// MiniDebugInfo: a small xz-compressed ELF file in the section .gnu_debugdata that holds the
// function symbols which the dynamic symbol table lacks (Fedora and others ship it).
#pragma once

#include <optional>

#include "symbolize/elf/elf_file.h"

namespace gprofx {

// No value if there is none, if it is damaged, or if it would need more than 64 MiB.
std::optional<ElfFile> OpenMiniDebugInfo(const ElfFile& file);

}  // namespace gprofx
