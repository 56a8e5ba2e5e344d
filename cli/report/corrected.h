// report --corrected: by what the times of the host of a recording are divided. Pure.
#pragma once

#include "core/host_correction.h"
#include "core/profile.h"
#include "core/result.h"

namespace gprofx {

// Of a profile as it was loaded; the error says why there is nothing to divide by.
Result<HostCorrection> MeasuredCorrection(const Profile& profile);

}  // namespace gprofx
