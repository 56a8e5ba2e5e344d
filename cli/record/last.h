// Reads the options --last and --when of `gprof-x record`.
#pragma once

#include "cli/options.h"
#include "core/base/result.h"
#include "samplers/recorder/recorder.h"

namespace gprofx::record {

// Must be called after all other options were read. Some of them conflict with --last, and --last
// changes the default of --gpu.
Status ReadLast(const ParsedOptions& parsed, recorder::RecordOptions& options);

}  // namespace gprofx::record
