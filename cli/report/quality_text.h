// What is wrong with the data, in words. The same in text and JSON. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/views/quality.h"

namespace gprofx {

// One sentence part for each flaw, in their order; not escaped beyond names of modules.
std::vector<std::string> FlawTexts(const DataQuality& quality, const GpuQuality& gpu);

// Of a state in which nothing was measured.
const char* WhyNoOwnCost(OwnCostState state);

}  // namespace gprofx
