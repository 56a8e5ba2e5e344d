// Compares shares of runs in percentage points. Shares have no sample counts and are compared
// without a logarithm. Pure.
#pragma once

#include <span>

#include "core/compare/diff.h"

namespace gprofx::compare {

SharePoints ComparePoints(std::span<const double> base, std::span<const double> head, bool paired,
                          double confidence);

}  // namespace gprofx::compare
