// gprof-x forecast: how long work takes on a GPU that is not there. Graphs of models, lists of
// cases, and how far the method is off on GPUs that it did not know.
//
// The printers are pure: forecasts in, text out.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/options.h"
#include "cli/terminal/screen.h"
#include "core/forecast/graph_forecast.h"

namespace gprofx {

// One device of the comparison.
struct DeviceForecast {
  forecast::Device device;
  forecast::GraphForecast forecast;
  std::optional<double> dollars_per_hour;
};

struct ForecastReport {
  std::string model;  // the file of the graph
  forecast::GraphPlan plan;
  std::vector<DeviceForecast> devices;
};

std::string ForecastText(const ForecastReport& report, const Screen& screen, size_t most_rows);
std::string ForecastJson(const ForecastReport& report);
std::string AccuracyText(const forecast::ForecastTable& table, const Screen& screen);
std::string AccuracyJson(const forecast::ForecastTable& table);
std::string AccuracyName(const forecast::AccuracyRow& row);  // "step from nodes of T4"
std::string DevicesText(const std::vector<forecast::Device>& devices, const Screen& screen);

// What a step costs: the price of all its GPUs for its time.
double DollarsPerStep(double ms, double dollars_per_hour, const forecast::GraphPlan& plan);

std::span<const OptionSpec> ForecastOptionSpecs();
std::string ForecastHelp();
int RunForecast(const std::vector<std::string>& args);

}  // namespace gprofx
