// Maps another range of the shared memory through a range that is already mapped. Needs neither a
// descriptor nor the permission to open one, so it works after a change of user, root or namespace.
//
// mremap(2) with an old size of 0 maps the same file again, starting at the same offset; the
// control page is at offset 0. The range before the wanted one takes up address space only for a
// moment. Async-signal-safe. Returns null if an address space limit (RLIMIT_AS) forbids it or the
// kernel is not Linux.
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
