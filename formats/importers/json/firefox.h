// Importer of processed profiles of the Firefox Profiler: Python's own profiler (--gecko), samply
// and others.
//
// Threads count samples (metric "samples"), or their weights (metric "time" or "memory") if the
// file says so. Markers are counted. Tables that threads share may stand behind the threads.
// Blocking; one thread.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/model/profile.h"
#include "formats/importers/row_sink.h"

namespace gprofx::importers {

// Returns a description of what was read: "Firefox profile (Tachyon Sampling Profiler)".
Result<std::string> ImportFirefox(const std::string& path, Profile& profile, RowSink& sink,
                                  uint64_t& hash);

}  // namespace gprofx::importers
