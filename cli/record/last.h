// The --last and --when options of `gprof-x record`.
#pragma once

#include "cli/options.h"
#include "core/base/result.h"
#include "samplers/recorder/recorder.h"

namespace gprofx::record {

// Call after all other options are read: some conflict with --last, and it changes the default of
// --gpu.
Status ReadLast(const ParsedOptions& parsed, recorder::RecordOptions& options);

}  // namespace gprofx::record
