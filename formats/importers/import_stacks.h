// Imports files that contain stacks of samples as text. Blocking; one thread.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/model/profile.h"
#include "formats/importers/row_sink.h"

namespace gprofx::importers {

// Both return a description of what was read, such as "perf script", and set `hash` to a number
// that identifies the file.
Result<std::string> ImportPerfScript(const std::string& path, Profile& profile, RowSink& sink,
                                     uint64_t& hash);
Result<std::string> ImportCollapsed(const std::string& path, Profile& profile, uint64_t& hash);

}  // namespace gprofx::importers
