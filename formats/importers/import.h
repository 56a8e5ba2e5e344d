// Converts a trace of another tool into a profile (.gprofx). Everything that reads profiles can
// then read it.
//
// The contents of the trace are imported exactly. What the trace lacks, such as a sampling rate, a
// CPU clock or losses, is missing in the profile, too. meta holds the origin (imported_from);
// quality counts what was left out (import_left_out_...). Importing the same file twice gives
// recordings with the same id, so a merge does not count them twice. An error is one line that says
// what to do. The output path is claimed first. The file appears there when the whole trace has
// been read, or earlier for perf script with many samples. Blocking; one thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/events/events.h"
#include "core/model/profile.h"
#include "formats/importers/trace_format.h"

namespace gprofx::importers {

struct ImportOptions {
  std::string input;
  std::optional<std::string> output;  // nullopt: write no file
  std::optional<TraceFormat> format;  // nullopt: detect the format by the first bytes
  std::string tool_version;           // version of gprof-x
};

struct ImportedTrace {
  Profile profile;                 // as written to the file, without its streams
  std::map<Stream, int64_t> rows;  // by stream: number of rows
};

// Imports a trace. If there is no output, the trace is still read, with the same errors.
Result<ImportedTrace> ImportTrace(const ImportOptions& options);

}  // namespace gprofx::importers
