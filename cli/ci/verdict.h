// Formats the result of a job as text and JSON. It consists of the comparison as `gprof-x diff`
// prints it, and of how the comparison was made. Pure.
#pragma once

#include <string>

#include "cli/ci/job.h"
#include "cli/ci/machine.h"
#include "cli/ci/run_options.h"
#include "cli/terminal/screen.h"

namespace gprofx {

std::string CiVerdictText(const CiRun& run, const CiResult& result, const CiMachine& machine,
                          const Screen& screen);

// Returns the JSON of `gprof-x diff --json`, with an additional object "ci".
std::string CiVerdictJson(const CiRun& run, const CiResult& result, const CiMachine& machine);

}  // namespace gprofx
