// Makes tables of a recording's forecast for the page of `gprof-x report --html --forecast`. Pure.
#pragma once

#include <vector>

#include "cli/forecast/run.h"
#include "core/analyses/table.h"

namespace gprofx {

// Returns these tables for each device: the parts of a step on the recorded and on the target
// device ("forecast_step"); its layers and operators, if there are any ("forecast_layers",
// "forecast_operators"); its kernels and copies ("forecast_kernels"). Times are per step.
std::vector<analyses::Analysis> RunForecastTables(const RecordingReport& report);

}  // namespace gprofx
