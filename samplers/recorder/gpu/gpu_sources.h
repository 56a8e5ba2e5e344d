// Stores the source files of GPU lines in the profile, because generated kernels are gone later.
//
// Stores only text of regular files with a source file extension (.py, .cu, .h ...), at most
// kMaxSourceFile bytes each and kMaxSources in total. All other files are left out.
#pragma once

#include <cstddef>
#include <set>
#include <string>

#include "core/model/profile.h"

namespace gprofx::recorder {

constexpr size_t kMaxSourceFile = size_t{1} << 20, kMaxSources = size_t{16} << 20;

void KeepSources(const std::set<std::string>& paths, Profile& profile);

}  // namespace gprofx::recorder
