// report --corrected: by what the times of the host of a recording are divided. Pure.
#pragma once

#include "core/base/result.h"
#include "core/cost/host_correction.h"
#include "core/model/profile.h"

namespace gprofx {

// Of a profile as it was loaded; the error says why there is nothing to divide by.
Result<HostCorrection> MeasuredCorrection(const Profile& profile);

}  // namespace gprofx
