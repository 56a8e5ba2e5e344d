// Formats the cells of analyses for people, such as "1.06 ms" and "27.0%". Pure.
#pragma once

#include <string>

#include "core/analyses/table.h"

namespace gprofx {

// Returns the value with its unit as printable text (see Printable) of any length. Returns "" if
// the value is unknown.
std::string CellText(const analyses::AnalysisCell& cell, analyses::CellUnit unit);

}  // namespace gprofx
