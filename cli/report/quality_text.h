// Describes the flaws of the data, the same in text and JSON. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/views/quality.h"

namespace gprofx {

// Returns one sentence part for each flaw, in their order. Escapes only the names of modules.
std::vector<std::string> FlawTexts(const DataQuality& quality, const GpuQuality& gpu);

// `state` is one in which nothing was measured.
const char* WhyNoOwnCost(OwnCostState state);

}  // namespace gprofx
