#include "samplers/memory/real_function.h"

#include <elf.h>
#include <link.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "samplers/wire/elf_symbols.h"

namespace gprofx::memory {
namespace {

constexpr int kMaxLibraries = 4096;
constexpr size_t kMaxName = 128;

// Copies memory that may be unmapped. Returns false if it cannot be read. If a sandbox forbids the
// system call, reads the memory directly.
bool Read(uint64_t address, void* to, size_t bytes) {
  const iovec local{to, bytes}, remote{reinterpret_cast<void*>(address), bytes};
  const int saved = errno;
  const ssize_t got = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
  const bool is_forbidden = got < 0 && (errno == EPERM || errno == ENOSYS || errno == EACCES);
  errno = saved;
  if (is_forbidden && address != 0) std::memcpy(to, remote.iov_base, bytes);
  return is_forbidden ? address != 0 : got == static_cast<ssize_t>(bytes);
}

struct Memory {
  template <class T>
  bool Load(uint64_t at, T* to) const {
    return Read(at, to, sizeof *to);
  }
  bool IsText(uint64_t at, const char* text) const {
    char read[kMaxName];
    const size_t bytes = std::strlen(text) + 1;
    return bytes <= sizeof read && Read(at, read, bytes) && std::memcmp(read, text, bytes) == 0;
  }
};

#pragma weak _r_debug  // musl has none

}  // namespace

uint64_t FindDefinition(const char* name) {
  const Memory memory;
  uint64_t at = 0;
  bool is_behind = false;
  if (&_r_debug == nullptr || !memory.Load(reinterpret_cast<uint64_t>(&_r_debug.r_map), &at))
    return 0;
  for (int i = 0; i < kMaxLibraries && at != 0; ++i) {
    link_map map{};
    if (!memory.Load(at, &map)) return 0;
    Elf64_Sym symbol{};
    const wire::ElfSymbols symbols(memory, reinterpret_cast<uint64_t>(map.l_ld), map.l_addr);
    if (is_behind && symbols.Find(name, &symbol)) return symbol.st_value;
    // True from our own library on. <link.h> declares _DYNAMIC, which is the dynamic section of the
    // library that uses it.
    is_behind = is_behind || map.l_ld == _DYNAMIC;
    at = reinterpret_cast<uint64_t>(map.l_next);
  }
  return 0;
}

}  // namespace gprofx::memory
