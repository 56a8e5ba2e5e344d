// Makes the words with which messages say where something was not found: in the profile or in the
// shown range. Pure.
#pragma once

#include <string>

#include "core/model/profile.h"

namespace gprofx::analyses {

inline std::string InWhatIsShown(const Profile& profile) {
  return profile.part ? "in the shown range" : "in this profile";
}

}  // namespace gprofx::analyses
