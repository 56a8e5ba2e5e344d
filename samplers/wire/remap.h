// Maps another range of the shared memory through a range that is already mapped. That needs
// neither a descriptor nor the permission to open one, so it works after a change of user, root or
// namespace.
//
// mremap(2) with an old size of 0 maps the same file again, from the same offset on. The control
// page is at offset 0, so the new mapping also contains the range before the wanted one; that takes
// address space only for a moment. Returns null if a limit on address space (RLIMIT_AS) forbids
// that or the kernel is not Linux. Async-signal-safe.
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
