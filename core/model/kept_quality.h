// What is told of the quality of a recording's data is told of the whole, as it was recorded,
// whatever of it is shown. Pure.
#pragma once

#include "core/model/profile.h"

namespace gprofx {

// Counts what only the values and the threads' clocks tell, before they are changed: measured,
// accounted and lost time and samples. Counters that are there stay.
void KeepQuality(Profile& profile);

}  // namespace gprofx
