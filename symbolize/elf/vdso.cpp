#include "symbolize/elf/vdso.h"

#include <elf.h>
#include <link.h>
#include <sys/auxv.h>

#include <algorithm>

#include "core/base/path.h"

namespace gprofx {

bool IsVdsoPath(const std::string& path) {
  const std::string_view name = BaseName(path);
  return name == "[vdso]" || name == "linux-vdso.so.1" || name == "linux-gate.so.1";
}

std::span<const std::byte> OwnVdso() {
  const auto address = getauxval(AT_SYSINFO_EHDR);
  if (address == 0) return {};
  const auto* image =
      reinterpret_cast<const std::byte*>(address);  // NOLINT: the kernel hands out a number
  const auto* header = reinterpret_cast<const ElfW(Ehdr)*>(image);
  // The image ends with its section headers or with its last segment, whichever is later.
  size_t size = header->e_shoff + size_t{header->e_shnum} * header->e_shentsize;
  const auto* segments = reinterpret_cast<const ElfW(Phdr)*>(image + header->e_phoff);
  for (int i = 0; i < header->e_phnum; i++) {
    size = std::max<size_t>(size, segments[i].p_offset + segments[i].p_filesz);
  }
  return {image, size};
}

}  // namespace gprofx
