// Defines CUPTI's numbers for kinds of copies and of memory (CUpti_ActivityMemcpyKind and
// CUpti_ActivityMemoryKind). Profiles store them unchanged. In both, 0 means unknown.
#pragma once

#include <cstdint>

namespace gprofx::cupti {

enum CopyKind : uint8_t {
  kHostToDevice = 1,
  kDeviceToHost,
  kHostToArray,
  kArrayToHost,
  kArrayToArray,
  kArrayToDevice,
  kDeviceToArray,
  kDeviceToDevice,
  kHostToHost,
  kPeerToPeer
};

enum MemoryKind : uint8_t {
  kPageable = 1,
  kPinned,
  kDevice,
  kArray,
  kManaged,
  kDeviceStatic,
  kManagedStatic
};

}  // namespace gprofx::cupti
