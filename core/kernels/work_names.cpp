#include "core/kernels/work_names.h"

namespace gprofx {
namespace {

// Only the kind of host memory affects how a copy runs; other kinds are not named.
const char* Suffix(uint32_t memory) {
  switch (memory) {
    case 1:
      return ", pageable";
    case 2:
      return ", pinned";
    case 5:
    case 7:
      return ", managed";
    default:
      return "";
  }
}

}  // namespace

std::string CopyName(uint32_t kind, uint32_t source, uint32_t target) {
  switch (kind) {
    case 1:
    case 3:  // to an array
      return std::string("copy host to device") + Suffix(source);
    case 2:
    case 4:
      return std::string("copy device to host") + Suffix(target);
    case 5:
    case 6:
    case 7:
    case 8:
      return "copy device to device";
    case 9:
      return "copy host to host";
    case 10:
      return "copy device to another device";
    default:
      return "copy";
  }
}

std::string SetName(uint32_t memory) {
  switch (memory) {
    case 1:
    case 2:
      return "set host memory";
    case 3:
    case 4:
    case 6:
      return "set device memory";
    case 5:
    case 7:
      return "set managed memory";
    default:
      return "set memory";
  }
}

}  // namespace gprofx
