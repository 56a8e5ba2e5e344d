// Compares a share of each run in percentage points. Shares have no sample counts and are compared
// as they are, without a logarithm. Pure.
#pragma once

#include <span>

#include "core/compare/diff.h"

namespace gprofx::compare {

SharePoints ComparePoints(std::span<const double> base, std::span<const double> head, bool paired,
                          double confidence);

}  // namespace gprofx::compare
