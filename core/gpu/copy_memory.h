// Copies between host and device: the kind of memory they use, and the speed of pinned copies.
// Pure.
#pragma once

#include <cstdint>
#include <span>

#include "core/kernels/cupti_kinds.h"
#include "core/model/profile.h"

namespace gprofx {

struct CopyMemory {  // of a copy: CUpti_ActivityMemcpyKind, CUpti_ActivityMemoryKind
  uint8_t kind = 0, source = 0, target = 0;
};

// Returns the kind of memory on the host side; 0 if neither side is the host.
inline uint8_t HostMemory(const CopyMemory& copy) {
  return copy.kind == cupti::kHostToDevice   ? copy.source
         : copy.kind == cupti::kDeviceToHost ? copy.target
                                             : uint8_t{0};
}

// True for a copy from or to pageable host memory: it goes through a driver buffer.
inline bool IsPageable(const CopyMemory& copy) { return HostMemory(copy) == cupti::kPageable; }

struct TimedCopy {
  CopyMemory copy;
  int64_t bytes = 0, ns = 0;
};

struct CopyRate {
  double bytes_per_ns = 0;  // 0 = unknown from the recording and the device
  bool measured = false;    // median of this recording; else the link speed of such a device
};

inline constexpr int64_t kLargeCopy = 1 << 20;  // bytes; smaller copies do not show the rate

// Returns the copy rate of pinned memory in the direction of `kind`.
CopyRate PinnedRate(const Profile& profile, std::span<const TimedCopy> copies, uint8_t kind);

// Returns about 85 % of the bandwidth of PCI Express with 16 lanes, of the generation that was
// current with the device's architecture.
double LinkRate(const Profile& profile);

}  // namespace gprofx
