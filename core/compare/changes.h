// The parts of two sides, matched and compared: which of them changed, and what became of the
// others. Pure.
#pragma once

#include <span>
#include <vector>

#include "core/compare/diff.h"
#include "core/compare/unit.h"

namespace gprofx::compare {

struct Sides {
  std::vector<Piece> base, head;
};

// A value of each run, per unit.
Series SeriesOf(const Sides& sides, double WorkDone::*value);

struct ComparedParts {
  std::vector<Change> changes;
  double global = 0;  // see Comparison
};

// `total` is the sum of all these parts.
ComparedParts CompareParts(const Sides& sides, Parts WorkDone::*parts, const Series& total,
                           const Settings& settings);

void SortByImportance(std::vector<Change>& changes);

}  // namespace gprofx::compare
