// What of a recording is shown, in words.
#pragma once

#include <string>

#include "core/profile.h"

namespace gprofx {

std::string PartText(const Profile& profile);  // "the steady part"; "" = all of it

}  // namespace gprofx
