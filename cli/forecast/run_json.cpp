#include "cli/forecast/run.h"
#include "cli/json_text.h"

namespace gprofx {
namespace {

Json LevelsJson(const std::vector<forecast::RunLevel>& rows) {
  Json json = Json::array();
  for (const forecast::RunLevel& row : rows) {
    json.push_back({{"name", row.name.empty() ? Json(nullptr) : Json(Utf8(row.name))},
                    {"recorded_ns", row.now_ns},
                    {"forecast_ns", row.then_ns}});
  }
  return json;
}

Json TargetJson(const RunTarget& target, int gpus) {
  const forecast::RecordedForecast& forecast = target.forecast;
  Json parts = Json::array(), shares = Json::array(), untold = Json::array();
  for (const forecast::RunPart& part : forecast.parts) {
    parts.push_back({{"id", part.id},
                     {"title", part.title},
                     {"recorded_ns", part.now_ns},
                     {"forecast_ns", part.then_ns}});
  }
  for (const forecast::RunShare& share : forecast.shares) {
    shares.push_back({{"name", Utf8(share.name)},
                      {"runs_per_step", FiniteJson(share.runs)},
                      {"recorded_ns", share.now_ns},
                      {"forecast_ns", share.then_ns},
                      {"bound", BoundWord(share.bound)},
                      {"told_by", WorkSourceWord(share.source)}});
  }
  for (const forecast::RunUntold& row : forecast.untold) {
    untold.push_back({{"what", Utf8(row.what)}, {"share", FiniteJson(row.share)}});
  }
  const std::optional<double> dollars = DollarsPerStep(target, gpus);
  return {{"device", Utf8(target.device.name)},
          {"step_ns", forecast.step_ns},
          {"low_ns", forecast.low_ns},
          {"high_ns", forecast.high_ns},
          {"interval", 0.8},
          {"gpu_busy", FiniteJson(forecast.busy_then)},
          {"limit", forecast.limit_then},
          {"gpu_work_ns", forecast.work_then_ns},
          {"dollars_per_step", dollars ? FiniteJson(*dollars) : Json(nullptr)},
          {"parts", std::move(parts)},
          {"kernels", std::move(shares)},
          {"layers", LevelsJson(target.layers)},
          {"operators", LevelsJson(target.operators)},
          {"not_modelled", std::move(untold)},
          {"assumed", TextsJson(forecast.assumed)}};
}

}  // namespace

std::string RunForecastJson(const RecordingReport& report) {
  Json devices = Json::array();
  for (const RunTarget& target : report.targets) devices.push_back(TargetJson(target, report.gpus));
  const forecast::RecordedForecast& first = report.targets[0].forecast;
  const std::optional<forecast::NumberType> type = report.change.type;
  const Json json = {{"schema", "gprof-x.forecast.recording/1"},
                     {"file", Utf8(report.file)},
                     {"part", report.part.empty() ? Json(nullptr) : Json(Utf8(report.part))},
                     {"device", Utf8(report.source)},
                     {"gpus", report.gpus},
                     {"host_speed", FiniteJson(report.host_speed)},
                     {"batch", FiniteJson(report.change.batch)},
                     {"precision", type ? Json(forecast::NumberTypeWord(*type)) : Json(nullptr)},
                     {"steps", first.steps},
                     {"recorded",
                      {{"step_ns", first.recorded_ns},
                       {"bare_step_ns", first.now_ns},
                       {"gpu_busy", FiniteJson(first.busy_now)},
                       {"limit", first.limit_now},
                       {"gpu_work_ns", first.work_now_ns}}},
                     {"devices", std::move(devices)}};
  return PrintedJson(json, 2);
}

}  // namespace gprofx
