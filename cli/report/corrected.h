// report --corrected: the factor by which host times of a recording are divided. Pure.
#pragma once

#include "core/base/result.h"
#include "core/cost/host_correction.h"
#include "core/model/profile.h"

namespace gprofx {

// Returns the factor from the measured cost of recording. `profile` is as loaded, without a
// correction. The error says why the cost is unknown.
Result<HostCorrection> MeasuredCorrection(const Profile& profile);

}  // namespace gprofx
