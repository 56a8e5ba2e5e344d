// Formats cells of analyses for people: "1.06 ms", "27.0%". Pure.
#pragma once

#include <string>

#include "core/analyses/table.h"

namespace gprofx {

// Returns printable text (see Printable) of any length; "" if the value is unknown.
std::string CellText(const analyses::AnalysisCell& cell, analyses::CellUnit unit);

}  // namespace gprofx
