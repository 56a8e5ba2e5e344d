// print_rows FILE < addresses: the unwind row of each hexadecimal virtual address of an ELF file,
// as the agent computes it.
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cstdio>
#include <cstring>

#include "samplers/agent/unwind/cfi.h"

using namespace gprofx::agent;

namespace {

struct FileMemory {
  const uint8_t* file;
  uint64_t bytes;

  template <class T>
  bool Read(uint64_t address, T* out) const {
    const auto* header = reinterpret_cast<const Elf64_Ehdr*>(file);
    const auto* segment = reinterpret_cast<const Elf64_Phdr*>(file + header->e_phoff);
    for (int i = 0; i < header->e_phnum; ++i) {
      if (segment[i].p_type != PT_LOAD || address < segment[i].p_vaddr) continue;
      if (address + sizeof(T) > segment[i].p_vaddr + segment[i].p_filesz) continue;
      std::memcpy(out, file + segment[i].p_offset + (address - segment[i].p_vaddr), sizeof(T));
      return true;
    }
    return false;
  }
};

}  // namespace

int main(int, char** argv) {
  const int fd = open(argv[1], O_RDONLY);
  struct stat st;
  if (fd < 0 || fstat(fd, &st) != 0) return 1;
  const auto* file = static_cast<const uint8_t*>(
      mmap(nullptr, static_cast<size_t>(st.st_size), PROT_READ, MAP_PRIVATE, fd, 0));
  const auto* header = reinterpret_cast<const Elf64_Ehdr*>(file);
  const auto* segment = reinterpret_cast<const Elf64_Phdr*>(file + header->e_phoff);
  uint64_t eh_frame_hdr = 0;
  for (int i = 0; i < header->e_phnum; ++i) {
    if (segment[i].p_type == PT_GNU_EH_FRAME) eh_frame_hdr = segment[i].p_vaddr;
  }
  FileMemory memory{file, static_cast<uint64_t>(st.st_size)};
  unsigned long long pc = 0;
  while (std::scanf("%llx", &pc) == 1) {
    CodeRange range;
    Row row = MakeRow(memory, eh_frame_hdr, pc, 0, &range);
    std::printf("%llx %d %d %d %d %d\n", pc, static_cast<int>(row.cfa), row.reg, row.cfa_offset,
                static_cast<int>(row.bp), row.bp_offset);
  }
}
