// Stores the program's own Python files in the profile, because views print the text of lines and
// the files change or stay on the machine.
//
// Only files in which time was spent, and none of installed packages or the standard library. At
// most kMaxOwnFile bytes each and kMaxOwnSources in total, those with most time first. Secrets are
// masked as in arguments; none are stored if arguments are left out.
#pragma once

#include <cstddef>

#include "core/model/profile.h"
#include "core/redact/mask_arguments.h"

namespace gprofx::recorder {

constexpr size_t kMaxOwnFile = size_t{256} << 10, kMaxOwnSources = size_t{2} << 20;

// `time`: the metric of the sampled clock. The files are read with the rights of this process.
void KeepOwnSources(MetricId time, Arguments arguments, Profile& profile);

}  // namespace gprofx::recorder
