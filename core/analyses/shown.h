// Says in messages where something was searched but not found: in the whole recording or in the
// shown range. Pure.
#pragma once

#include <string>

#include "core/model/profile.h"

namespace gprofx::analyses {

inline std::string InWhatIsShown(const Profile& profile) {
  return profile.part ? "in the shown range" : "in this profile";
}

}  // namespace gprofx::analyses
