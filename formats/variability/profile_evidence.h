// What a profile says of each of its steps besides the work of the GPU
// (core/variability/evidence.h): from CPU samples, what the system told of threads, and the clocks
// of the GPU. Blocking. Used inside formats/variability only.
#pragma once

#include <string>
#include <vector>

#include "core/model/profile.h"
#include "core/variability/source.h"
#include "formats/profile/profile_open.h"

namespace gprofx {

// `processes`: those of the profile's step trains, in their order, with the steps in which to look.
// A stream that cannot be read gets a line in `notes`, and what it would say stays unknown.
variability::Evidence ReadProfileEvidence(const ProfileFile& file, const Profile& profile,
                                          const std::vector<variability::ProcessSteps>& processes,
                                          std::vector<std::string>& notes);

}  // namespace gprofx
