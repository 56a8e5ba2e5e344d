// Parses the value of LD_PRELOAD. Pure; no allocation, async-signal-safe. Source: ld.so(8).
#pragma once

#include <cstddef>
#include <cstring>

namespace gprofx::wire {

// Calls `take` with each entry of the list and the entry's length.
template <class Take>
void ForEachPreloaded(const char* preload, Take take) {
  for (const char* at = preload; at != nullptr && *at != 0;) {
    const size_t bytes = std::strcspn(at, " :");
    if (bytes != 0) take(at, bytes);
    at += bytes + (at[bytes] != 0 ? 1 : 0);
  }
}

// True if the entry is the runtime library of a sanitizer, which must be the first entry of the
// list.
inline bool IsSanitizer(const char* entry, size_t bytes) {
  size_t begin = bytes;
  while (begin != 0 && entry[begin - 1] != '/') --begin;
  constexpr const char* kNames[] = {"libasan.", "libtsan.", "libhwasan.", "liblsan.",
                                    "libclang_rt."};
  for (const char* name : kNames) {
    const size_t length = std::strlen(name);
    if (bytes - begin >= length && std::memcmp(entry + begin, name, length) == 0) return true;
  }
  return false;
}

}  // namespace gprofx::wire
