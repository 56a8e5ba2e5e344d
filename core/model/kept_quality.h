// Preserves the data quality of a recording before its values are changed. The quality is always
// reported for the whole recording, even if only a slice of it is shown. Pure.
#pragma once

#include "core/model/profile.h"

namespace gprofx {

// Stores measured, accounted and lost time and the number of samples in `profile.quality`. They are
// derived from the values and the threads' clocks, so call it before those are changed. Does not
// change counters that exist.
void KeepQuality(Profile& profile);

}  // namespace gprofx
