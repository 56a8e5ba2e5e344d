// Names of copies and memsets in the tree. Pure functions of CUPTI's numbers
// (CUpti_ActivityMemcpyKind, CUpti_ActivityMemoryKind).
#pragma once

#include <cstdint>
#include <string>

namespace gprofx {

// Marker at the root, above work without a known launch.
inline constexpr char kLaunchedBefore[] = "[launched before the recording or lost]";

// "copy host to device, pageable", "copy device to device", ...
std::string CopyName(uint32_t kind, uint32_t source, uint32_t target);
// "set device memory", "set managed memory", ...
std::string SetName(uint32_t memory);

}  // namespace gprofx
