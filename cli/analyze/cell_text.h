// The cells of analyses in words, for people: "1.06 ms", "27.0%". Pure.
#pragma once

#include <string>

#include "core/analyses/table.h"

namespace gprofx {

// Harmless (Printable), at any length; "" for what is not known.
std::string CellText(const analyses::AnalysisCell& cell, analyses::CellUnit unit);

}  // namespace gprofx
