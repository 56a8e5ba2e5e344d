// Data quality is always reported for the whole recording as it was recorded, even if only a slice
// of it is shown. Pure.
#pragma once

#include "core/model/profile.h"

namespace gprofx {

// Stores in `quality` what is derived from the values and the threads' clocks, before those are
// changed: measured, accounted and lost time, and the number of samples. Counters that exist are
// kept.
void KeepQuality(Profile& profile);

}  // namespace gprofx
