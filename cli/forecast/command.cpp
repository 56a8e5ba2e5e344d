#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "cli/command.h"
#include "cli/forecast/forecast.h"
#include "cli/forecast/options.h"
#include "cli/forecast/run.h"
#include "cli/terminal/text.h"
#include "cli/text_file.h"
#include "core/base/path.h"
#include "core/forecast/cases.h"
#include "formats/database/packed_text.h"

namespace gprofx {
namespace {

// Returns the plan that the name of the model's file describes, changed by the options.
forecast::GraphPlan MakePlan(const ForecastCommand& command, const forecast::ModelGraph& graph) {
  std::string name(BaseName(command.model));
  for (const std::string_view ending : {".zst", ".csv"}) {
    if (name.ends_with(ending)) name.resize(name.size() - ending.size());
  }
  forecast::GraphPlan plan;
  const Result<forecast::CaseName> named = forecast::ParseCaseName(name);
  if (named)
    plan = forecast::PlanOf(*named, graph);
  else
    plan.training = graph.training;
  if (command.training) plan.training = *command.training;
  plan.fused |= command.fused;
  const auto set = [](size_t value, int& field) {
    if (value > 0) field = static_cast<int>(value);
  };
  set(command.layers, plan.layers);
  set(command.data, plan.data);
  set(command.tensor, plan.tensor);
  set(command.pipeline, plan.pipeline);
  set(command.microbatches, plan.microbatches);
  if (command.batch > 0) plan.batch = static_cast<double>(command.batch);
  return plan;
}

Result<ForecastReport> ForecastModel(const ForecastCommand& command,
                                     const std::vector<forecast::Device>& devices) {
  const Result<std::string> text = ReadPackedText(command.model);
  if (!text) return text.error();
  const Result<forecast::ModelGraph> graph = forecast::ParseGraph(*text, command.model);
  if (!graph) return graph.error();
  const Result<Prices> prices = ParsePrices(command.price, devices);
  if (!prices) return prices.error();
  ForecastReport report;
  report.model = command.model;
  report.plan = MakePlan(command, *graph);
  if (report.plan.training && !graph->training) {
    return Error{ErrorId::kNoForecast, "'" + command.model + "' has no backward pass",
                 "use the graph of a training step, or add --inference"};
  }
  const double batch = report.plan.batch > 0 ? report.plan.batch : graph->batch;
  const int64_t parts = int64_t{report.plan.data} * report.plan.microbatches;
  if (batch > 0 && !graph->divided && static_cast<double>(parts) > batch) {
    return Error{ErrorId::kNoForecast,
                 "a batch of " + std::to_string(static_cast<long long>(batch)) +
                     " cannot be divided into " + std::to_string(parts) + " parts",
                 "give a larger batch with --batch"};
  }
  const Result<std::vector<const forecast::Device*>> targets = TargetDevices(command, devices);
  if (!targets) return targets.error();
  for (const forecast::Device* device : *targets) {
    DeviceForecast forecast{*device, {}, std::nullopt};
    forecast.forecast = forecast::ForecastGraph(
        *graph, report.plan, forecast::Forecaster(forecast::BuiltInTable(), *device));
    if (!forecast::IsPlausible(forecast.forecast)) {
      return Error{ErrorId::kNoForecast,
                   "the forecast of a step of '" + command.model + "' on " +
                       Printable(device->name) + " is out of range",
                   "check the graph, --layers and --batch for a size that is too large"};
    }
    const auto price = prices->find(device);
    if (price != prices->end()) forecast.dollars_per_hour = price->second;
    report.devices.push_back(std::move(forecast));
  }
  return report;
}

int RunCases(const ForecastCommand& command, const std::vector<forecast::Device>& devices) {
  if (!command.csv.empty()) {
    if (Status fits = CheckTextFile(command.csv, "--csv"); !fits) {
      return Fail(kForecastCommand, fits.error());
    }
  }
  const Result<std::string> text = ReadPackedText(command.cases);
  if (!text) return Fail(kForecastCommand, text.error());
  const size_t slash = command.cases.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : command.cases.substr(0, slash + 1);
  const forecast::ReadGraphText read_graph = [&folder](const std::string& path) {
    return ReadPackedText(path.starts_with("/") ? path : folder + path);
  };
  const Result<forecast::CasesResult> result =
      forecast::ForecastCases(*text, command.cases, devices, forecast::BuiltInTable(), read_graph);
  if (!result) return Fail(kForecastCommand, result.error());
  for (const std::string& note : result->notes) {
    fprintf(stderr, "%s: note: %s\n", kForecastCommand, Printable(note).c_str());
  }
  if (command.csv.empty()) return Print(kForecastCommand, result->csv, "the forecasts");
  const Status written = ReplaceTextFile(command.csv, result->csv, "--csv");
  return written ? 0 : Fail(kForecastCommand, written.error());
}

int RunRecording(const ForecastCommand& command, const std::vector<forecast::Device>& devices,
                 const Screen& screen) {
  const Result<RecordingReport> report = ForecastRecording(command, devices);
  if (!report) return Fail(kForecastCommand, report.error());
  if (command.json) return Print(kForecastCommand, RunForecastJson(*report), "the forecast");
  return PrintPaged(kForecastCommand,
                    RunForecastText(*report, command.by, screen, command.most_rows), "the forecast",
                    command.pager);
}

}  // namespace

double DollarsPerStep(double ms, double dollars_per_hour, const forecast::GraphPlan& plan) {
  const double gpus = static_cast<double>(plan.data) * plan.tensor * plan.pipeline;
  return ms / 3.6e6 * dollars_per_hour * gpus;
}

int RunForecast(const std::vector<std::string>& args) {
  const Result<ForecastCommand> command = ParseForecast(args);
  if (!command) return Fail(kForecastCommand, command.error());
  if (command->help != Help::kNone)
    return Print(kForecastCommand, ForecastHelp(command->help), "the help");
  const Screen screen = DetectScreen(STDOUT_FILENO, command->color);
  const Result<std::vector<forecast::Device>> devices = ForecastDevices(*command);
  if (!devices) return Fail(kForecastCommand, devices.error());
  if (!command->recording.empty()) return RunRecording(*command, *devices, screen);
  if (!command->cases.empty()) return RunCases(*command, *devices);
  if (command->accuracy) {
    const std::string text = command->json ? AccuracyJson(forecast::BuiltInTable())
                                           : AccuracyText(forecast::BuiltInTable(), screen);
    return PrintPaged(kForecastCommand, text, "the accuracy", command->pager && !command->json);
  }
  if (command->devices) {
    return PrintPaged(kForecastCommand, DevicesText(*devices, screen), "the devices",
                      command->pager);
  }
  const Result<ForecastReport> report = ForecastModel(*command, *devices);
  if (!report) return Fail(kForecastCommand, report.error());
  if (command->json) return Print(kForecastCommand, ForecastJson(*report), "the forecast");
  return PrintPaged(kForecastCommand, ForecastText(*report, screen, command->most_rows),
                    "the forecast", command->pager);
}

}  // namespace gprofx
