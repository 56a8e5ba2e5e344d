// Saves the data quality of a recording before its values are changed, for example cut to a slice.
// Views always report the quality of the whole recording. Pure.
#pragma once

#include "core/model/profile.h"

namespace gprofx {

// Computes the measured, accounted and lost time and the number of samples, and stores them in
// `profile.quality`. Uses the values and the threads' clocks: call it before those are changed.
// Counters that exist are not changed.
void KeepQuality(Profile& profile);

}  // namespace gprofx
