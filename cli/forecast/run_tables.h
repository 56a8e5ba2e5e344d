// A forecast of a recording as tables: what the page of `gprof-x report --html --forecast` shows.
// Pure.
#pragma once

#include <vector>

#include "cli/forecast/run.h"
#include "core/analyses/table.h"

namespace gprofx {

// For each device: what a step is made of here and there ("forecast_step"), its layers and
// operators where there are some ("forecast_layers", "forecast_operators"), its kernels and copies
// ("forecast_kernels"). Times are those of a step.
std::vector<analyses::Analysis> RunForecastTables(const RecordingReport& report);

}  // namespace gprofx
