// Steps of a process from the ranges that it has named, by the rules of core/steps/phases.h. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/variability/source.h"

namespace gprofx::variability {

struct NamedRange {
  int64_t begin = 0, end = 0;
  std::string name;
};

// Could a name be that of a step? To leave the rest behind before it is kept.
bool MayNameStep(std::string_view name);

// Nothing where they tell no steps.
ProcessSteps StepsFromRanges(int64_t process, const std::vector<NamedRange>& ranges);

}  // namespace gprofx::variability
