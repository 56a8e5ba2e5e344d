// Finds the steps of a process from its named ranges, by the rules of core/steps/phases.h. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/variability/source.h"

namespace gprofx::variability {

struct NamedRange {
  int64_t begin = 0, end = 0;
  std::string name;
};

// True if a range of this name may be a step. Readers discard other ranges before storing them.
bool MayNameStep(std::string_view name);

// Returns the steps of a process; `steps` is empty if the ranges show none.
ProcessSteps StepsFromRanges(int64_t process, const std::vector<NamedRange>& ranges);

}  // namespace gprofx::variability
