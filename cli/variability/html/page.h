// Makes the HTML page of a variability analysis. It shows the excess time of each GPU over time as
// a heat map, the groups as parallel coordinates, and the tables of the text output. Pure.
#pragma once

#include <string>

#include "core/variability/model.h"

namespace gprofx {

std::string VariabilityPage(const variability::Model& model);

}  // namespace gprofx
