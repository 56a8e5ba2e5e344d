// report --corrected: the factor by which host times of a recording are divided. Pure.
#pragma once

#include "core/base/result.h"
#include "core/cost/host_correction.h"
#include "core/model/profile.h"

namespace gprofx {

// `profile` is as loaded. The error says why there is no measured cost to divide by.
Result<HostCorrection> MeasuredCorrection(const Profile& profile);

}  // namespace gprofx
