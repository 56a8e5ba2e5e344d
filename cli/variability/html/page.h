// A variability analysis as one HTML page: excess time of each GPU over time as a heat map, groups
// as parallel coordinates, and the tables of the text. Pure.
#pragma once

#include <string>

#include "core/variability/model.h"

namespace gprofx {

std::string VariabilityPage(const variability::Model& model);

}  // namespace gprofx
