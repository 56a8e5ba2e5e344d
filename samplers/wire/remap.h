// Another part of the shared memory, by a part that is already mapped: needs neither a descriptor
// nor the right to open one, so it works after a change of user, root or namespace.
//
// mremap(2) with an old size of 0 maps the same file again, from the same offset on; the control
// page is at offset 0. The range up to the wanted part is address space for a moment only.
// Async-signal-safe. Null: a limit on address space (RLIMIT_AS) forbids it, or a kernel that is not
// Linux.
#pragma once

#include <sys/mman.h>

#include <cstdint>

namespace gprofx::wire {

inline void* MapThrough(void* control, uint64_t offset, uint64_t bytes) {
  void* whole = mremap(control, 0, offset + bytes, MREMAP_MAYMOVE);
  if (whole == MAP_FAILED) return nullptr;
  munmap(whole, offset);
  return static_cast<uint8_t*>(whole) + offset;
}

}  // namespace gprofx::wire
