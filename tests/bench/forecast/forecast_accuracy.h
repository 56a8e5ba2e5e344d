// How far forecasts are off on GPUs that were left out of the fit: for each GPU everything is
// fitted again without it. Its two sustained rates are known, as facts of the device.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/forecast/device/table.h"
#include "tests/bench/forecast/forecast_data.h"

namespace gprofx {
using namespace forecast;

struct Accuracy {
  std::vector<AccuracyRow> rows;
  std::map<std::string, Interval, std::less<>> intervals;
  // Share of left-out cases that an interval made from the other GPUs alone holds.
  std::map<std::string, double> coverage;
};

Accuracy LeaveOneOut(const ForecastData& data);

// One step on one GPU from the measured nodes of another: percent of error over the cases that both
// have, by the plain two-rates transfer and by ours.
struct PairError {
  std::string source, target;
  size_t cases = 0;
  double two_rates = 0, ours = 0;
};
std::vector<PairError> TransferErrors(const ForecastData& data);

}  // namespace gprofx
