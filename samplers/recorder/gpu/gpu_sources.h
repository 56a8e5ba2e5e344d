// Stores source files in the profile: those of GPU lines, because generated kernels are gone later,
// and the program's own (own_sources.h).
//
// Stores only text of regular files with a source file extension (.py, .cu, .h ...) within the
// limits, with secrets masked (mask_source.h). All other files, and those that the profile already
// holds, are left out.
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

// In this order until a limit is reached.
void KeepSources(const std::vector<std::string>& paths, const SourceLimits& limits,
                 Profile& profile);

}  // namespace gprofx::recorder
