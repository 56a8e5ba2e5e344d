// Imports files of speedscope, as written by py-spy --format speedscope and others. Their format is
// file-format-schema.json at www.speedscope.app.
//
// Each profile of a file becomes a thread. "sampled" profiles give the numbers of samples (metric
// "samples") and their weights (metric "time" or "memory", by the unit). "evented" profiles give
// the times between events. The samples in the profile have no times. Blocking; one thread.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/model/profile.h"

namespace gprofx::importers {

// Imports the file and returns a description of what was read: "speedscope (py-spy@0.4.0)".
Result<std::string> ImportSpeedscope(const std::string& path, Profile& profile, uint64_t& hash);

}  // namespace gprofx::importers
