// Source files of GPU lines, kept in the profile: generated kernels are gone later.
//
// Text of regular files with a name like a source's only (.py, .cu, .h ...), kMaxSourceFile bytes
// each and kMaxSources in all; everything else is left out.
#pragma once

#include <cstddef>
#include <set>
#include <string>

#include "core/model/profile.h"

namespace gprofx::recorder {

constexpr size_t kMaxSourceFile = size_t{1} << 20, kMaxSources = size_t{16} << 20;

void KeepSources(const std::set<std::string>& paths, Profile& profile);

}  // namespace gprofx::recorder
