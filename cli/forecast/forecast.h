// gprof-x forecast: predicts how long work takes on a GPU that is not available. The work is a
// recording, a graph of a model, or a list of cases. It can also measure the error of its method on
// GPUs that the method was not fitted to. The printers are pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/options.h"
#include "cli/terminal/screen.h"
#include "core/forecast/graph_forecast.h"

namespace gprofx {

// The forecast for one device.
struct DeviceForecast {
  forecast::Device device;
  forecast::GraphForecast forecast;
  std::optional<double> dollars_per_hour;
};

struct ForecastReport {
  std::string model;  // file name of the graph
  forecast::GraphPlan plan;
  std::vector<DeviceForecast> devices;
};

std::string ForecastText(const ForecastReport& report, const Screen& screen, size_t most_rows);
std::string ForecastJson(const ForecastReport& report);
std::string AccuracyText(const forecast::ForecastTable& table, const Screen& screen);
std::string AccuracyJson(const forecast::ForecastTable& table);
std::string AccuracyName(const forecast::AccuracyRow& row);  // such as "step from nodes of T4"
std::string DevicesText(const std::vector<forecast::Device>& devices, const Screen& screen);

// Returns the cost of a step: its duration times the price of all its GPUs.
double DollarsPerStep(double ms, double dollars_per_hour, const forecast::GraphPlan& plan);

std::span<const OptionSpec> ForecastOptionSpecs();
std::string ForecastHelp(Help which = Help::kAll);
int RunForecast(const std::vector<std::string>& args);

}  // namespace gprofx
