// Describes the flaws of the data, the same in text and JSON. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/views/quality.h"

namespace gprofx {

// Returns one clause for each element of quality.flaws, in the same order. Escapes only the names
// of modules.
std::vector<std::string> FlawTexts(const DataQuality& quality, const GpuQuality& gpu);

// Returns why the cost of recording is unknown. `state` must be one without a measured cost.
const char* WhyNoOwnCost(OwnCostState state);

}  // namespace gprofx
