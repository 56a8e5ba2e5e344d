// A share of each run, compared in points. Shares have no samples behind them, and no logarithm
// worth taking: they are compared as they are. Pure.
#pragma once

#include <span>

#include "core/compare/diff.h"

namespace gprofx::compare {

SharePoints ComparePoints(std::span<const double> base, std::span<const double> head, bool paired,
                          double confidence);

}  // namespace gprofx::compare
