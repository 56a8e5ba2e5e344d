#include "cli/forecast/forecast.h"
#include "cli/json_text.h"

namespace gprofx {
namespace {

Json DeviceJson(const DeviceForecast& device, const forecast::GraphPlan& plan) {
  const forecast::GraphForecast& forecast = device.forecast;
  Json families = Json::array(), nodes = Json::array();
  for (const forecast::FamilyShare& family : forecast.families) {
    families.push_back({{"family", WorkFamilyWord(family.family)},
                        {"ms", FiniteJson(family.ms)},
                        {"kernels", family.kernels}});
  }
  for (const forecast::NodeShare& node : forecast.nodes) {
    nodes.push_back({{"name", Utf8(node.name)},
                     {"kind", Utf8(node.kind)},
                     {"ms", FiniteJson(node.ms)},
                     {"bound", BoundWord(node.bound)}});
  }
  const forecast::DeviceRates rates = forecast::RatesOf(device.device, forecast::NumberType::kFp32);
  return {{"device", Utf8(device.device.name)},
          {"measured_rates", rates.measured},
          {"step_ms", FiniteJson(forecast.ms)},
          {"low_ms", FiniteJson(forecast.low_ms)},
          {"high_ms", FiniteJson(forecast.high_ms)},
          {"interval", 0.8},
          {"forward_ms", FiniteJson(forecast.forward_ms)},
          {"backward_ms", FiniteJson(forecast.backward_ms)},
          {"accumulate_ms", FiniteJson(forecast.accumulate_ms)},
          {"communication_ms", FiniteJson(forecast.communication_ms)},
          {"memory_ms", FiniteJson(forecast.memory_ms)},
          {"bubble_ms", FiniteJson(forecast.bubble_ms)},
          {"kernels", forecast.kernels},
          {"launch_bound_ms", FiniteJson(forecast.bound_ms[0])},
          {"memory_bound_ms", FiniteJson(forecast.bound_ms[1])},
          {"compute_bound_ms", FiniteJson(forecast.bound_ms[2])},
          {"extrapolated_ms", FiniteJson(forecast.extrapolated_ms)},
          {"dollars_per_step",
           device.dollars_per_hour
               ? FiniteJson(DollarsPerStep(forecast.ms, *device.dollars_per_hour, plan))
               : Json(nullptr)},
          {"families", std::move(families)},
          {"nodes", std::move(nodes)},
          {"unknown_nodes", TextsJson(forecast.unknown)},
          {"unknown_share", FiniteJson(forecast.unknown_share)},
          {"notes", TextsJson(forecast.notes)}};
}

}  // namespace

std::string ForecastJson(const ForecastReport& report) {
  Json devices = Json::array();
  for (const DeviceForecast& device : report.devices) {
    devices.push_back(DeviceJson(device, report.plan));
  }
  const forecast::GraphPlan& plan = report.plan;
  const Json json = {{"schema", "gprof-x.forecast/1"},
                     {"model", Utf8(report.model)},
                     {"training", plan.training},
                     {"fused", plan.fused},
                     {"layers", plan.layers},
                     {"batch", plan.batch > 0 ? FiniteJson(plan.batch) : Json(nullptr)},
                     {"data_parallel", plan.data},
                     {"tensor_parallel", plan.tensor},
                     {"pipeline_stages", plan.pipeline},
                     {"microbatches", plan.microbatches},
                     {"devices", std::move(devices)}};
  return PrintedJson(json, 2);
}

std::string AccuracyJson(const forecast::ForecastTable& table) {
  Json rows = Json::array();
  const auto number = [](const std::string& text) {
    return text == "-" ? Json(nullptr) : Json(std::strtod(text.c_str(), nullptr));
  };
  for (const forecast::AccuracyRow& row : table.accuracy) {
    rows.push_back({{"what", Utf8(AccuracyName(row))},
                    {"left_out", Utf8(row.device)},
                    {"cases", number(row.cases)},
                    {"error_percent", number(row.error)},
                    {"neusight_percent", number(row.reference)},
                    {"roofline_percent", number(row.roofline)}});
  }
  const Json json = {{"schema", "gprof-x.forecast.accuracy/1"}, {"rows", std::move(rows)}};
  return PrintedJson(json, 2);
}

}  // namespace gprofx
