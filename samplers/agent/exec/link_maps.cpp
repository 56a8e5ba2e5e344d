// Finds modules that were loaded after the latest snapshot. Used where the C library has no
// _dl_find_object (musl, glibc before 2.35). Walks the list that the loader keeps for debuggers
// (r_debug of <link.h>) with safe loads. The loader appends to the list after it has mapped a file,
// and reading the list needs no lock, so a signal handler may walk it. A module that is found is
// added to the snapshot, so the list is walked only once for it.
//
// Runs in signal handlers: no allocation, no locks, bounded loops. Costs about 5 ns for each
// module, and 100 ns for each candidate.
#include <elf.h>
#include <link.h>

#include <cstring>

#include "samplers/agent/signals/safe_load.h"
#include "samplers/agent/stacks/modules.h"

namespace gprofx::agent {
namespace {

constexpr uint32_t kMaxMaps = 4096;
constexpr uint64_t kMaxModuleBytes = uint64_t{4} << 30;

}  // namespace

// Returns the address of r_debug; 0 = not found. The loader writes that address into the dynamic
// section of the main program, which is at `dynamic`.
uint64_t Modules::DebugOf(uint64_t dynamic) {
  Elf64_Dyn entry{};
  for (uint64_t at = dynamic; at != 0 && at < dynamic + 256 * sizeof entry; at += sizeof entry) {
    if (!SafeLoad(at, &entry.d_tag) || entry.d_tag == DT_NULL) return 0;
    if (entry.d_tag == DT_DEBUG) return SafeLoad(at + 8, &entry.d_un.d_ptr) ? entry.d_un.d_ptr : 0;
  }
  return 0;
}

// Reads the ELF headers of the file mapped at `base` into *object. Returns true if `pc` is in the
// file. Does not work for a main program whose mapping begins at another address than its base.
// Every snapshot contains the main program, so it is never looked up here.
bool Modules::ReadHeaders(uint64_t base, uint64_t pc, Object* object) {
  uint32_t magic = 0;
  uint64_t headers = 0;
  uint16_t count = 0;
  if (!SafeLoad(base, &magic) || std::memcmp(&magic, ELFMAG, SELFMAG) != 0) return false;
  if (!SafeLoad(base + offsetof(Elf64_Ehdr, e_phoff), &headers) ||
      !SafeLoad(base + offsetof(Elf64_Ehdr, e_phnum), &count))
    return false;
  *object = {base, base, base, 0, 0, 0, nullptr, 0};
  for (uint16_t i = 0; i < count && i < 64; ++i) {
    const uint64_t at = base + headers + i * sizeof(Elf64_Phdr);
    uint32_t type = 0;
    uint64_t address = 0, bytes = 0;
    if (!SafeLoad(at, &type) || !SafeLoad(at + offsetof(Elf64_Phdr, p_vaddr), &address) ||
        !SafeLoad(at + offsetof(Elf64_Phdr, p_memsz), &bytes))
      return false;
    if (type == PT_GNU_EH_FRAME) object->eh_frame_hdr = base + address;
    if (type == PT_DYNAMIC) object->dynamic = base + address;
    if (type == PT_LOAD && base + address + bytes > object->end)
      object->end = base + address + bytes;
  }
  object->link_map = object->dynamic;  // the same identity as in the snapshot
  return pc - object->begin < object->end - object->begin;
}

bool Modules::FindLater(uint64_t pc, Object* object) {
  uint64_t map = 0;
  if (debug_ == 0 || !SafeLoad(debug_ + offsetof(r_debug, r_map), &map)) return false;
  for (uint32_t i = 0; i < kMaxMaps && map != 0; ++i) {
    uint64_t base = 0, name = 0, next = 0;
    if (!SafeLoad(map + offsetof(link_map, l_addr), &base) ||
        !SafeLoad(map + offsetof(link_map, l_name), &name) ||
        !SafeLoad(map + offsetof(link_map, l_next), &next))
      return false;
    if (base != 0 && pc - base < kMaxModuleBytes && ReadHeaders(base, pc, object)) {
      object->path = reinterpret_cast<const char*>(name);
      AddToLatest(*object);
      return true;
    }
    map = next;
  }
  return false;
}

void Modules::AddToLatest(const Object& object) {
  Snapshot* snapshot = snapshot_.load(std::memory_order_acquire);
  if (snapshot == nullptr || adding_.exchange(true, std::memory_order_acquire)) return;
  const uint32_t at = snapshot->count.load(std::memory_order_relaxed);
  if (at < std::size(snapshot->objects)) {
    snapshot->objects[at] = object;
    snapshot->count.store(at + 1, std::memory_order_release);
  }
  adding_.store(false, std::memory_order_release);
}

}  // namespace gprofx::agent
