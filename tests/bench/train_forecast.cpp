// Makes core/forecast/device/tables.txt from the public measurements: train_forecast DATA-FOLDER
// OUT. The same data give the same bytes.
#include <cstdio>
#include <fstream>

#include "tests/bench/forecast/forecast_accuracy.h"
#include "tests/bench/forecast/forecast_data.h"
#include "tests/bench/forecast/forecast_fit.h"

int main(int argc, char** argv) {
  using namespace gprofx;
  if (argc != 3) {
    fprintf(stderr, "Usage: train_forecast DATA-FOLDER OUT\n");
    return 2;
  }
  const ForecastData data = ReadForecastData(argv[1]);
  const Accuracy accuracy = LeaveOneOut(data);
  ForecastTable table;
  FitKernels(data, nullptr, table);
  FitGradients(data, nullptr, table);
  table.axes = data.axes;
  table.grids = data.grids;
  table.collectives = data.collectives;
  table.intervals = accuracy.intervals;
  table.accuracy = accuracy.rows;
  const size_t tensor = static_cast<size_t>(WorkFamily::kTensorProduct);
  table.ranges[tensor] = {2, 2 * data.axes[0].back() * data.axes[1].back() * data.axes[2].back()};
  std::ofstream out(argv[2], std::ios::binary);
  out << ForecastTableText(table);
  out.close();
  if (!out) {
    fprintf(stderr, "cannot write %s\n", argv[2]);
    return 2;
  }
  return 0;
}
