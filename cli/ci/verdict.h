// Formats the result of a job as text and JSON: the comparison of `gprof-x diff` and how it was
// made. Pure.
#pragma once

#include <string>

#include "cli/ci/job.h"
#include "cli/ci/machine.h"
#include "cli/ci/run_options.h"
#include "cli/terminal/screen.h"

namespace gprofx {

std::string CiVerdictText(const CiRun& run, const CiResult& result, const CiMachine& machine,
                          const Screen& screen);

// The JSON of `gprof-x diff --json` with an additional object "ci".
std::string CiVerdictJson(const CiRun& run, const CiResult& result, const CiMachine& machine);

}  // namespace gprofx
