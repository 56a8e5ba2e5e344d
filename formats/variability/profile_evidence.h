// Reads what a profile says about each step in addition to GPU work (core/variability/evidence.h):
// CPU samples, scheduler data of threads, and GPU clocks. Blocking. Used only inside
// formats/variability.
#pragma once

#include <string>
#include <vector>

#include "core/model/profile.h"
#include "core/variability/source.h"
#include "formats/profile/profile_open.h"

namespace gprofx {

// Returns the evidence. `processes` holds the processes of the profile's step trains
// (core/steps/phases.h), in the order of the trains, with their steps. If a stream cannot be read,
// a line is added to `notes`, and the values from that stream stay unknown.
variability::Evidence ReadProfileEvidence(const ProfileFile& file, const Profile& profile,
                                          const std::vector<variability::ProcessSteps>& processes,
                                          std::vector<std::string>& notes);

}  // namespace gprofx
