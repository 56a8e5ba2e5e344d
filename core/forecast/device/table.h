// Reads tables.txt, the text file with everything that forecasts have learned from measurements.
// tests/bench/train_forecast makes it. It holds the parameters of models, the measured times of
// tensor-core products and collectives on grids of sizes, and the errors of forecasts on GPUs that
// were left out of the fit.
//
//   gprof-x-forecast 2
//   parameters FAMILY NUMBER...
//   interval FAMILY LOW HIGH         measured over forecast, 10th and 90th percentile
//   range FAMILY LEAST MOST          sizes in training: FLOP of products, bytes of others
//   accuracy GROUP DEVICE CASES ERROR REFERENCE ROOFLINE     percent; - where there is none
//   gradient KIND FACTOR             of a graph's nodes: measured backward pass over the sum of
//                                    its operators
//   axis m|n|k NUMBER...             before all grids
//   grid DEVICE TYPE                 then m * n lines of k times (grid_text.h)
//   collective DEVICE OPERATION GPUS FIRST_LOG2_BYTES MICROSECONDS...
//
// Parsing is strict: an error names its line. Pure; any thread.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/forecast/device/grid_text.h"
#include "core/forecast/work.h"

namespace gprofx::forecast {

struct Interval {
  double low = 0.5, high = 2;  // 80 % of measured / forecast time is in this interval
};

struct SizeRange {
  double least = 0, most = 0;
};

struct TensorGrid {
  std::string device;
  NumberType type = NumberType::kBf16;
  std::vector<uint16_t> steps;  // exponents of kGridStep by m, n, k; kNoTime = not measured
};
inline constexpr uint16_t kNoTime = kMaxSteps;
// The times of a grid are stored as exponents (steps): microseconds = kGridLeastUs *
// kGridStep^steps.
inline constexpr double kGridLeastUs = 1, kGridStep = 1.0035;

struct CollectiveCurve {
  std::string device, operation;
  int gpus = 2;
  int first_log2 = 0;  // log2 of the bytes at us[0]; the bytes double from one time to the next
  std::vector<double> us;
};

struct AccuracyRow {
  std::string group, device;
  std::string cases, error, reference, roofline;
};

struct ForecastTable {
  std::array<std::vector<double>, kWorkFamilies> parameters;
  std::array<SizeRange, kWorkFamilies> ranges;
  // Intervals by name of a family, or by the name that StepInterval() returns.
  std::map<std::string, Interval, std::less<>> intervals;
  // Factor on the time of the backward pass, by kind of node.
  std::map<std::string, double, std::less<>> gradients;
  std::array<std::vector<double>, 3> axes;  // m, n, k of all grids
  std::vector<TensorGrid> grids;
  std::vector<CollectiveCurve> collectives;
  std::vector<AccuracyRow> accuracy;

  double GradientFactor(std::string_view kind) const;  // 1 if not learned
  Interval IntervalOf(std::string_view name) const;
};

// Returns the key in ForecastTable::intervals for the step of a graph. Training has a key of its
// own because its steps vary more: their forward passes wait for memory.
inline std::string_view StepInterval(bool training) {
  return training ? "step,training" : "step,inference";
}

// Returns `interval` with the logarithms of both ends multiplied by `factor`.
Interval Wider(const Interval& interval, double factor);

Result<ForecastTable> ParseForecastTable(std::string_view text, const std::string& file);
std::string ForecastTableText(const ForecastTable& table);

const ForecastTable& BuiltInTable();

}  // namespace gprofx::forecast
