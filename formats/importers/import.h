// Converts a trace of another tool into a profile (.gprofx), so that everything that reads profiles
// can read it.
//
// Everything in the trace is taken over exactly. What the trace lacks stays absent: no sampling
// rate, no CPU clock, no losses. meta has the origin (imported_from), quality has what was left out
// (import_left_out_...). Importing the same file twice gives recordings with the same id, so that a
// merge does not count it twice. An error is one line that says what to do. The output path is
// claimed first. The file appears there when the whole trace has been read, or earlier for perf
// script with many samples. Blocking; one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/model/profile.h"

namespace gprofx::importers {

enum class TraceFormat { kNsight, kChrome, kPerfScript, kCollapsed };

// "nsight", "kineto", "jax", "perf", "austin", "py-spy", "collapsed".
std::optional<TraceFormat> ParseTraceFormat(std::string_view name);
inline constexpr char kTraceFormats[] = "nsight, kineto, jax, perf, austin, py-spy or collapsed";

// Detects the format by the first bytes. Any other format is an error; if that format is known, the
// error says what to do.
Result<TraceFormat> DetectTraceFormat(const std::string& path);

struct ImportOptions {
  std::string input, output;
  std::optional<TraceFormat> format;  // nullopt: detect by the first bytes
  std::string tool_version;           // of gprof-x
};

// Returns the profile as written to the file, without its streams.
Result<Profile> ImportTrace(const ImportOptions& options);

}  // namespace gprofx::importers
