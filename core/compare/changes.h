// Matches the parts (functions, kernels, lines, operators) of two versions of a program and
// compares their times. Finds which parts changed, and which are new, gone or renamed. A side is
// all runs of one version: the base or the head. Pure.
#pragma once

#include <span>
#include <vector>

#include "core/compare/diff.h"
#include "core/compare/unit.h"

namespace gprofx::compare {

struct Sides {
  std::vector<Piece> base, head;
};

// Returns, for each run, the member `value` divided by the number of units (unit.h) in the run.
Series SeriesOf(const Sides& sides, double WorkDone::*value);

struct ComparedParts {
  std::vector<Change> changes;
  double global = 0;  // the global change, a median logarithm over the parts: Comparison::global
};

// Compares the parts in the member `parts`. `total` is, for each run, the time of all parts
// together. The result is in no particular order.
ComparedParts CompareParts(const Sides& sides, Parts WorkDone::*parts, const Series& total,
                           const Settings& settings);

void SortByImportance(std::vector<Change>& changes);

}  // namespace gprofx::compare
