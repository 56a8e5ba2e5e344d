// What a job found, as text and JSON: the comparison of `gprof-x diff`, with how it came about.
// Pure.
#pragma once

#include <string>

#include "cli/ci/job.h"
#include "cli/ci/machine.h"
#include "cli/ci/run_options.h"
#include "cli/terminal/screen.h"

namespace gprofx {

std::string CiVerdictText(const CiRun& run, const CiResult& result, const CiMachine& machine,
                          const Screen& screen);

// That of `gprof-x diff --json` with an object "ci".
std::string CiVerdictJson(const CiRun& run, const CiResult& result, const CiMachine& machine);

}  // namespace gprofx
