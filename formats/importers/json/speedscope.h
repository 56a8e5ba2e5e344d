// Imports files of speedscope, as written by py-spy --format speedscope and others. Their format is
// file-format-schema.json at www.speedscope.app.
//
// Each profile of a file is a thread. The values of "sampled" profiles are the numbers of samples
// (metric "samples") and their weights (metric "time" or "memory", by the unit). The values of
// "evented" profiles are the times between events. Samples have no times. Blocking; one thread.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/model/profile.h"

namespace gprofx::importers {

// Returns a description of what was read: "speedscope (py-spy@0.4.0)".
Result<std::string> ImportSpeedscope(const std::string& path, Profile& profile, uint64_t& hash);

}  // namespace gprofx::importers
