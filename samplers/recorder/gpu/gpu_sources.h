// Stores source files in the profile. These are the sources of GPU lines, because generated kernels
// no longer exist later, and the program's own (own_sources.h).
//
// Stores only text of regular files with an extension of source files (.py, .cu, .h ...) within the
// limits, with secrets masked (mask_source.h). Leaves out all other files, and those that the
// profile already contains.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/model/profile.h"

namespace gprofx::recorder {

constexpr size_t kMaxSourceFile = size_t{1} << 20, kMaxSources = size_t{16} << 20;

struct SourceLimits {
  size_t file = kMaxSourceFile, all = kMaxSources;  // bytes
};

// Stores the files in the order of `paths` until a limit is reached.
void KeepSources(const std::vector<std::string>& paths, const SourceLimits& limits,
                 Profile& profile);

}  // namespace gprofx::recorder
