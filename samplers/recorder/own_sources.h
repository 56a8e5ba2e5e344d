// Stores the program's own Python files in the profile. Views print the text of lines, and the
// files may change later or stay on another machine.
//
// Stores only files in which time was spent, and none of installed packages or the standard
// library. Stores at most kMaxOwnFile bytes of each file and kMaxOwnSources in total, the files
// with most time first. Secrets are masked (core/redact/mask_source.h).
#pragma once

#include <cstddef>
#include <vector>

#include "core/model/profile.h"

namespace gprofx::recorder {

constexpr size_t kMaxOwnFile = size_t{256} << 10, kMaxOwnSources = size_t{2} << 20;

// Stores the files. `time` is the metric of the sampled clock. Files are read with the rights of
// this process. `readable` says, by ProcessId::index(), which processes have the same rights and
// see the same files. Only their files are read.
void KeepOwnSources(MetricId time, const std::vector<bool>& readable, Profile& profile);

}  // namespace gprofx::recorder
