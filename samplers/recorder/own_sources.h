// Stores the program's own Python files in the profile, because views print the text of lines and
// the files change or stay on the machine.
//
// Only files in which time was spent, and none of installed packages or the standard library. At
// most kMaxOwnFile bytes each and kMaxOwnSources in total, those with most time first. Secrets are
// masked (core/redact/mask_source.h).
#pragma once

#include <cstddef>
#include <vector>

#include "core/model/profile.h"

namespace gprofx::recorder {

constexpr size_t kMaxOwnFile = size_t{256} << 10, kMaxOwnSources = size_t{2} << 20;

// `time`: the metric of the sampled clock. The files are read with the rights of this process, so
// only those of processes that have the same rights and see the same files: `readable`, by
// ProcessId::index().
void KeepOwnSources(MetricId time, const std::vector<bool>& readable, Profile& profile);

}  // namespace gprofx::recorder
