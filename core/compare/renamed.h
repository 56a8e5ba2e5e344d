// What is new on one side, for whoever asks whether it takes longer: a renamed part against what it
// took under its old name, and whether a new one is there in every run of the head. Pure.
#pragma once

#include <vector>

#include "core/compare/changes.h"

namespace gprofx::compare {

// Sets Change::in_every_head_run, from_other and inclusive_from_other; the rest stays as it is.
// `changes` are those of CompareParts with the same arguments.
void MeasureNew(const Sides& sides, Parts WorkDone::*parts, const Series& total,
                const Settings& settings, std::vector<Change>& changes);

}  // namespace gprofx::compare
