// What a profile says of each of its steps besides the work of the GPU (core/variability/evidence.h):
// from CPU samples, what the system told of threads, and the clocks of the GPU. Blocking. Used inside
// formats/variability only.
#pragma once

#include <functional>
#include <vector>

#include "core/profile.h"
#include "core/result.h"
#include "core/variability/source.h"
#include "formats/profile_open.h"

namespace gprofx {

// `processes`: those of the profile's step trains, in their order, with the steps in which to look.
Result<variability::Evidence> ReadProfileEvidence(
    const ProfileFile& file, const Profile& profile,
    const std::vector<variability::ProcessSteps>& processes);

}  // namespace gprofx
