// Makes the names of copies and memsets in the tree from CUPTI's numbers (CUpti_ActivityMemcpyKind,
// CUpti_ActivityMemoryKind). Pure.
#pragma once

#include <cstdint>
#include <string>

namespace gprofx {

// Name of the marker below the root under which work without a known launch is put.
inline constexpr char kLaunchedBefore[] = "[launched before the recording or lost]";

// Returns the name of a copy: "copy host to device, pageable", "copy device to device", ...
std::string CopyName(uint32_t kind, uint32_t source, uint32_t target);
// Returns the name of a memset: "set device memory", "set managed memory", ...
std::string SetName(uint32_t memory);

}  // namespace gprofx
