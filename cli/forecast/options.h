// Parses the options of `gprof-x forecast`. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/options.h"
#include "cli/terminal/screen.h"
#include "core/base/result.h"
#include "core/forecast/device/device.h"
#include "core/forecast/run_change.h"
#include "core/slice/part.h"

namespace gprofx {

inline constexpr char kForecastCommand[] = "gprof-x forecast";

struct ForecastCommand {
  std::string by = "kernel";  // for a recording: rows are "kernel", "layer" or "operator"
  std::string recording, model, to, compare, price, cases, csv, device, from;
  PartQuery part;  // for a recording: the range to forecast
  // For a recording: speed of the target's host relative to the recorded one.
  double host_speed = 1;
  forecast::RunChange change;  // for a recording: another batch size or number type
  size_t layers = 0, data = 0, tensor = 0, pipeline = 0, microbatches = 0, batch = 0;
  int64_t step_ns = 0;  // for a recording: ns of a step without recording; 0 = unknown
  size_t gpus = 0;      // for a recording: number of GPUs; 0 = as recorded
  size_t most_rows = 10;
  std::optional<bool> training;
  bool fused = false, accuracy = false, devices = false, json = false, pager = true;
  Help help = Help::kNone;
  ColorWhen color = ColorWhen::kAuto;
};

Result<ForecastCommand> ParseForecast(const std::vector<std::string>& args);

// Returns the built-in devices and those that --device describes.
Result<std::vector<forecast::Device>> ForecastDevices(const ForecastCommand& command);
// Returns those of `devices` that --to or --compare names.
Result<std::vector<const forecast::Device*>> TargetDevices(
    const ForecastCommand& command, const std::vector<forecast::Device>& devices);

using Prices = std::map<const forecast::Device*, double>;  // in dollars per hour
Result<Prices> ParsePrices(const std::string& text, const std::vector<forecast::Device>& devices);

}  // namespace gprofx
