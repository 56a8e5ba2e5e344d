// A trace of another tool -> a profile (.gprofx), so that all that reads profiles reads it.
//
// What the trace says is taken over exactly; what it does not say is not there: no sampling rate,
// no CPU clock, no losses. meta says where it comes from (imported_from), quality what was left out
// (import_left_out_...). The same file imported twice gives recordings of one id, so that merging
// does not count it twice. Errors are one line with the way out; the output is claimed first, and
// takes its name only when the trace has been read (samples of perf script: when there are many,
// before). Blocking; one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/model/profile.h"

namespace gprofx::importers {

enum class TraceFormat { kNsight, kChrome, kPerfScript, kCollapsed };

// "nsight", "kineto", "jax", "perf", "collapsed", "py-spy".
std::optional<TraceFormat> ParseTraceFormat(std::string_view name);
inline constexpr char kTraceFormats[] = "nsight, kineto, jax, perf, py-spy or collapsed";

// By its first bytes; an error where it is none of them, with what to do for known other ones.
Result<TraceFormat> DetectTraceFormat(const std::string& path);

struct ImportOptions {
  std::string input, output;
  std::optional<TraceFormat> format;  // nothing: by the first bytes
  std::string tool_version;           // of gprof-x
};

// The profile as it is in the file, without its streams.
Result<Profile> ImportTrace(const ImportOptions& options);

}  // namespace gprofx::importers
