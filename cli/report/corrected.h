// report --corrected: finds the factor by which the host times of a recording are divided. Pure.
#pragma once

#include "core/base/result.h"
#include "core/cost/host_correction.h"
#include "core/model/profile.h"

namespace gprofx {

// Returns the factor that follows from the measured cost of recording. `profile` must not be
// corrected yet. If the cost is unknown, the error says why.
Result<HostCorrection> MeasuredCorrection(const Profile& profile);

}  // namespace gprofx
