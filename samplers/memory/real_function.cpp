#include "samplers/memory/real_function.h"

#include <elf.h>
#include <link.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace gprofx::memory {
namespace {

constexpr int kMaxLibraries = 4096, kMaxTags = 128, kMaxChain = 4096;
constexpr size_t kMaxName = 128;

// Falls back to plain loads if the system call is forbidden, as in a sandbox.
bool Read(uint64_t address, void* to, size_t bytes) {
  const iovec local{to, bytes}, remote{reinterpret_cast<void*>(address), bytes};
  const int saved = errno;
  const ssize_t got = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
  const bool is_forbidden = got < 0 && (errno == EPERM || errno == ENOSYS || errno == EACCES);
  errno = saved;
  if (is_forbidden && address != 0) std::memcpy(to, remote.iov_base, bytes);
  return is_forbidden ? address != 0 : got == static_cast<ssize_t>(bytes);
}

template <class T>
bool Load(uint64_t address, T* to) {
  return Read(address, to, sizeof *to);
}

uint32_t GnuHash(const char* name) {
  uint32_t hash = 5381;
  for (; *name != 0; ++name) hash = hash * 33 + static_cast<uint8_t>(*name);
  return hash;
}

struct Tables {
  uint64_t symbols = 0, strings = 0, hash = 0;
};

bool FindTables(const link_map& map, Tables* tables) {
  Elf64_Dyn entry{};
  for (int i = 0; i < kMaxTags; ++i) {
    if (!Load(reinterpret_cast<uint64_t>(map.l_ld + i), &entry) || entry.d_tag == DT_NULL) break;
    // The loader makes these absolute, except in images that it did not map (the vDSO).
    const uint64_t value =
        entry.d_un.d_ptr < map.l_addr ? entry.d_un.d_ptr + map.l_addr : entry.d_un.d_ptr;
    if (entry.d_tag == DT_SYMTAB) tables->symbols = value;
    if (entry.d_tag == DT_STRTAB) tables->strings = value;
    if (entry.d_tag == DT_GNU_HASH) tables->hash = value;
  }
  return tables->symbols != 0 && tables->strings != 0 && tables->hash != 0;
}

bool NameIs(uint64_t at, const char* name) {
  char text[kMaxName];
  const size_t bytes = std::strlen(name) + 1;
  return bytes <= sizeof text && Read(at, text, bytes) && std::memcmp(text, name, bytes) == 0;
}

// Uses DT_GNU_HASH, which linkers have written since 2006.
uint64_t Definition(const link_map& map, const char* name, uint32_t hash) {
  struct {
    uint32_t buckets, first, bloom_words, shift;
  } head{};
  Tables tables;
  if (!FindTables(map, &tables) || !Load(tables.hash, &head) || head.buckets == 0) return 0;
  const uint64_t buckets = tables.hash + sizeof head + uint64_t{head.bloom_words} * 8;
  const uint64_t chain = buckets + uint64_t{head.buckets} * 4;
  uint32_t index = 0;
  if (!Load(buckets + hash % head.buckets * 4, &index) || index < head.first) return 0;
  for (int i = 0; i < kMaxChain; ++i, ++index) {
    uint32_t value = 0;
    if (!Load(chain + uint64_t{index - head.first} * 4, &value)) return 0;
    Elf64_Sym symbol{};
    if ((value | 1) == (hash | 1) && Load(tables.symbols + index * sizeof symbol, &symbol) &&
        symbol.st_shndx != SHN_UNDEF && NameIs(tables.strings + symbol.st_name, name))
      return map.l_addr + symbol.st_value;
    if ((value & 1) != 0) break;
  }
  return 0;
}

#pragma weak _r_debug  // musl has none

}  // namespace

uint64_t FindDefinition(const char* name) {
  const uint32_t hash = GnuHash(name);
  uint64_t at = 0;
  bool is_behind = false;
  if (&_r_debug == nullptr || !Load(reinterpret_cast<uint64_t>(&_r_debug.r_map), &at)) return 0;
  for (int i = 0; i < kMaxLibraries && at != 0; ++i) {
    link_map map{};
    if (!Load(at, &map)) return 0;
    if (is_behind) {
      if (const uint64_t found = Definition(map, name, hash)) return found;
    }
    is_behind = is_behind || map.l_ld == _DYNAMIC;  // declared in <link.h>: our own library's
    at = reinterpret_cast<uint64_t>(map.l_next);
  }
  return 0;
}

}  // namespace gprofx::memory
