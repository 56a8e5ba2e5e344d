// gprof-x forecast run.gprofx: predicts the times of a recording on other GPUs. The printers are
// pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/forecast/options.h"
#include "cli/terminal/screen.h"
#include "core/forecast/run_forecast.h"
#include "core/forecast/run_levels.h"

namespace gprofx {

struct RunTarget {
  forecast::Device device;
  forecast::RecordedForecast forecast;
  std::vector<forecast::RunLevel> layers, operators;
  std::optional<double> dollars_per_hour;
};

struct RecordingReport {
  std::string file;
  std::string part;    // the range that the forecast covers; "" = the whole recording
  std::string source;  // the device on which the recording was made
  double host_speed = 1;
  forecast::RunChange change;
  int gpus = 1;  // number of GPUs, for the price of a step
  std::vector<RunTarget> targets;
};

Result<RecordingReport> ForecastRecording(const ForecastCommand& command,
                                          const std::vector<forecast::Device>& devices);

// Return the forecast as text or JSON. `by` is "kernel", "layer" or "operator".
std::string RunForecastText(const RecordingReport& report, const std::string& by,
                            const Screen& screen, size_t most_rows);
std::string RunForecastJson(const RecordingReport& report);

// Returns the price of a step on all GPUs of the run; nullopt if the price of the device is
// unknown.
std::optional<double> DollarsPerStep(const RunTarget& target, int gpus);

}  // namespace gprofx
