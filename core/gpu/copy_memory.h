// Copies between host and device: which memory they use, and how fast pinned memory is copied.
// Pure.
#pragma once

#include <cstdint>
#include <span>

#include "core/model/profile.h"

namespace gprofx {

struct CopyMemory {  // of a copy: CUpti_ActivityMemcpyKind, CUpti_ActivityMemoryKind
  uint8_t kind = 0, source = 0, target = 0;
};

inline constexpr uint8_t kCopyHostToDevice = 1, kCopyDeviceToHost = 2;
inline constexpr uint8_t kMemoryPageable = 1, kMemoryPinned = 2;

// The memory of the host's side; 0 where neither side is the host's.
inline uint8_t HostMemory(const CopyMemory& copy) {
  return copy.kind == kCopyHostToDevice   ? copy.source
         : copy.kind == kCopyDeviceToHost ? copy.target
                                          : uint8_t{0};
}

// A copy from or to pageable memory of the host: it goes through a buffer of the driver.
inline bool IsPageable(const CopyMemory& copy) { return HostMemory(copy) == kMemoryPageable; }

struct TimedCopy {
  CopyMemory copy;
  int64_t bytes = 0, ns = 0;
};

struct CopyRate {
  double bytes_per_ns = 0;  // 0 = neither the recording nor the device tells it
  bool measured = false;  // the median of this recording's; else what the link of such a device has
};

inline constexpr int64_t kLargeCopy = 1 << 20;  // bytes; smaller ones do not tell a rate

// How fast a link copies pinned memory in the direction of `kind`.
CopyRate PinnedRate(const Profile& profile, std::span<const TimedCopy> copies, uint8_t kind);

// About 85 % of what PCI Express has at 16 lanes, of the generation that came with the
// architecture.
double LinkRate(const Profile& profile);

}  // namespace gprofx
