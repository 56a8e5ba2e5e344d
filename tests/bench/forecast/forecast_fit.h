// Fits the models of kernels to measured rows: least squares of the logarithms, robust against the
// outliers that every table of measurements has, from a fixed start, so that the same rows give the
// same parameters.
#pragma once

#include <functional>
#include <vector>

#include "core/forecast/device/table.h"
#include "tests/bench/forecast/forecast_data.h"

namespace gprofx {
using namespace forecast;

// Parameters and ranges of all families, from the kernels of all devices but `left_out`.
void FitKernels(const ForecastData& data, const Device* left_out, ForecastTable& table);

// How much longer than the sum of its operators the backward pass of a kind of node takes, from the
// measured nodes of training steps on all devices but `left_out`. After FitKernels.
void FitGradients(const ForecastData& data, const Device* left_out, ForecastTable& table);

// Measured over forecast, 10th and 90th percentile.
Interval PercentilesOf(std::vector<double> ratios);

}  // namespace gprofx
