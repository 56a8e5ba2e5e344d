#include "core/kernels/work_names.h"

#include "core/kernels/cupti_kinds.h"

namespace gprofx {
namespace {

// Returns the last part of a name, which gives the kind of host memory. That kind affects how a
// copy runs. Returns "" for other memory.
const char* Suffix(uint32_t memory) {
  switch (memory) {
    case cupti::kPageable:
      return ", pageable";
    case cupti::kPinned:
      return ", pinned";
    case cupti::kManaged:
    case cupti::kManagedStatic:
      return ", managed";
    default:
      return "";
  }
}

}  // namespace

std::string CopyName(uint32_t kind, uint32_t source, uint32_t target) {
  switch (kind) {
    case cupti::kHostToDevice:
    case cupti::kHostToArray:
      return std::string("copy host to device") + Suffix(source);
    case cupti::kDeviceToHost:
    case cupti::kArrayToHost:
      return std::string("copy device to host") + Suffix(target);
    case cupti::kArrayToArray:
    case cupti::kArrayToDevice:
    case cupti::kDeviceToArray:
    case cupti::kDeviceToDevice:
      return "copy device to device";
    case cupti::kHostToHost:
      return "copy host to host";
    case cupti::kPeerToPeer:
      return "copy device to another device";
    default:
      return "copy";
  }
}

std::string SetName(uint32_t memory) {
  switch (memory) {
    case cupti::kPageable:
    case cupti::kPinned:
      return "set host memory";
    case cupti::kDevice:
    case cupti::kArray:
    case cupti::kDeviceStatic:
      return "set device memory";
    case cupti::kManaged:
    case cupti::kManagedStatic:
      return "set managed memory";
    default:
      return "set memory";
  }
}

}  // namespace gprofx
