// Imports processed profiles of the Firefox Profiler, as written by Python's own profiler
// (--gecko), samply and others.
//
// The values are numbers of samples (metric "samples") or, if the file has weights, the sums of
// these (metric "time" or "memory"). Markers are not imported but counted. Tables that threads
// share may come after the threads. Blocking; one thread.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/model/profile.h"
#include "formats/importers/row_sink.h"

namespace gprofx::importers {

// Imports the file and returns a description of what was read: "Firefox profile (Tachyon Sampling
// Profiler)".
Result<std::string> ImportFirefox(const std::string& path, Profile& profile, RowSink& sink,
                                  uint64_t& hash);

}  // namespace gprofx::importers
