// What one board of a GPU took of which no row is in the fit (tests/data/forecast, recorded by
// forecast_steps.py), against the forecast of the tables that are built in.
#pragma once

#include <string>
#include <vector>

namespace gprofx {

struct UnseenError {
  std::string what;  // "step", "rows of linear", ...
  size_t count = 0;
  double error = 0;        // mean, percent
  double bias = 0;         // mean of the logarithms, percent; + is too long
  double in_interval = 0;  // share that the 80 % interval holds
};

// `folder` has h100_steps.csv and h100_kernels.csv, `graphs` NeuSight's graphs. Ends the program
// with one line where a file is missing.
std::vector<UnseenError> UnseenErrors(const std::string& folder, const std::string& graphs);

}  // namespace gprofx
