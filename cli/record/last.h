// The options --last and --when of `gprof-x record`.
#pragma once

#include "cli/options.h"
#include "core/base/result.h"
#include "samplers/recorder/recorder.h"

namespace gprofx::record {

// Behind all other options: some do not go with them, and the usual way of looking at a GPU is
// another one.
Status ReadLast(const ParsedOptions& parsed, recorder::RecordOptions& options);

}  // namespace gprofx::record
