// Importer of speedscope's files (py-spy --format speedscope and others): www.speedscope.app,
// file-format-schema.json.
//
// Each profile of a file is a thread. "sampled" profiles count samples (metric "samples") and their
// weights (metric "time" or "memory", by the unit); "evented" profiles have the time between
// events. Samples have no times. Blocking; one thread.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/model/profile.h"

namespace gprofx::importers {

// Returns a description of what was read: "speedscope (py-spy@0.4.0)".
Result<std::string> ImportSpeedscope(const std::string& path, Profile& profile, uint64_t& hash);

}  // namespace gprofx::importers
