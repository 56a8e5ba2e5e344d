// Compares shares of runs, such as the share of idle GPU time, in percentage points. Shares are not
// sampled, and their differences are taken without a logarithm. Pure.
#pragma once

#include <span>

#include "core/compare/diff.h"

namespace gprofx::compare {

SharePoints ComparePoints(std::span<const double> base, std::span<const double> head, bool paired,
                          double confidence);

}  // namespace gprofx::compare
