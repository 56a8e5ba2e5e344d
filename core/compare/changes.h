// Matches and compares the parts (functions, kernels, lines, operators) of two sides: which of them
// changed, and which are new, gone or renamed. Pure.
#pragma once

#include <span>
#include <vector>

#include "core/compare/diff.h"
#include "core/compare/unit.h"

namespace gprofx::compare {

struct Sides {
  std::vector<Piece> base, head;
};

// Returns a value of each run, per unit.
Series SeriesOf(const Sides& sides, double WorkDone::*value);

struct ComparedParts {
  std::vector<Change> changes;
  double global = 0;  // see Comparison
};

// `total` is the sum of all parts.
ComparedParts CompareParts(const Sides& sides, Parts WorkDone::*parts, const Series& total,
                           const Settings& settings);

void SortByImportance(std::vector<Change>& changes);

}  // namespace gprofx::compare
