// Finds out what kind of host memory a copy uses, and how fast copies of pinned memory are. Pure.
#pragma once

#include <cstdint>
#include <span>

#include "core/kernels/cupti_kinds.h"
#include "core/model/profile.h"

namespace gprofx {

struct CopyMemory {  // values of CUpti_ActivityMemcpyKind and CUpti_ActivityMemoryKind
  uint8_t kind = 0, source = 0, target = 0;
};

// Returns the kind of memory on the host side of the copy; 0 if neither side is the host.
inline uint8_t HostMemory(const CopyMemory& copy) {
  return copy.kind == cupti::kHostToDevice   ? copy.source
         : copy.kind == cupti::kDeviceToHost ? copy.target
                                             : uint8_t{0};
}

// True for a copy from or to pageable host memory. The driver copies such memory through a buffer
// of its own.
inline bool IsPageable(const CopyMemory& copy) { return HostMemory(copy) == cupti::kPageable; }

struct TimedCopy {
  CopyMemory copy;
  int64_t bytes = 0, ns = 0;
};

struct CopyRate {
  double bytes_per_ns = 0;  // 0 = neither measured nor known for the device
  bool measured = false;    // true: median in this recording; false: LinkRate()
};

inline constexpr int64_t kLargeCopy = 1 << 20;  // bytes; smaller copies are slower than the link

// Returns the copy rate of pinned memory in one direction. `kind`: cupti::kHostToDevice or
// cupti::kDeviceToHost.
CopyRate PinnedRate(const Profile& profile, std::span<const TimedCopy> copies, uint8_t kind);

// Returns the assumed copy rate in bytes per ns: about 85 % of the bandwidth of PCI Express with 16
// lanes. The generation of PCI Express is the usual one for the architecture of the profile's
// newest device. Returns 0 if the device is unknown or very old.
double LinkRate(const Profile& profile);

}  // namespace gprofx
