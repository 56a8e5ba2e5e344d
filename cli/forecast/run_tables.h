// Makes tables of a recording's forecast for the page of `gprof-x report --html --forecast`. Pure.
#pragma once

#include <vector>

#include "cli/forecast/run.h"
#include "core/analyses/table.h"

namespace gprofx {

// Returns tables for each device:
//  - "forecast_step": the parts of a step on the recorded and on the target device,
//  - "forecast_layers" and "forecast_operators": its layers and operators, if there are any,
//  - "forecast_kernels": its kernels and copies.
//
// Times are per step.
std::vector<analyses::Analysis> RunForecastTables(const RecordingReport& report);

}  // namespace gprofx
