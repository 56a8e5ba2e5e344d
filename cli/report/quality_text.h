// Describes flaws of the recorded data. Text and JSON use the same words. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/views/quality.h"

namespace gprofx {

// Returns one clause for each element of quality.flaws, in the same order. Names of modules are
// escaped; all other text needs no escaping.
std::vector<std::string> FlawTexts(const DataQuality& quality, const GpuQuality& gpu);

// Returns why the cost of recording is unknown. `state` must be a state in which it is unknown.
const char* WhyNoOwnCost(OwnCostState state);

}  // namespace gprofx
