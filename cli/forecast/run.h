// `gprof-x forecast run.gprofx`: predicts a recording on another GPU. The printers are pure.
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
  std::string part;    // "" = all of it
  std::string source;  // device of the recording
  double host_speed = 1;
  forecast::RunChange change;
  int gpus = 1;  // number of GPUs that the run pays for
  std::vector<RunTarget> targets;
};

Result<RecordingReport> ForecastRecording(const ForecastCommand& command,
                                          const std::vector<forecast::Device>& devices);

// `by`: "kernel", "layer" or "operator".
std::string RunForecastText(const RecordingReport& report, const std::string& by,
                            const Screen& screen, size_t most_rows);
std::string RunForecastJson(const RecordingReport& report);

// Returns the cost of a step on all GPUs of the run; nothing if no price is known.
std::optional<double> DollarsPerStep(const RunTarget& target, int gpus);

}  // namespace gprofx
