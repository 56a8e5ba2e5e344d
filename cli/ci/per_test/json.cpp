#include "cli/ci/per_test/faces.h"
#include "cli/diff/words.h"
#include "cli/files_json.h"
#include "cli/json_text.h"

namespace gprofx {
namespace {

Json NameOrNull(const std::string& name) { return name.empty() ? Json(nullptr) : Json(Utf8(name)); }

Json IntervalJson(const compare::Interval& interval) {
  return {FiniteJson(ChangePercent(interval.low)), FiniteJson(ChangePercent(interval.high))};
}

Json BlamedJson(const Blamed& blamed) {
  return {{"kind", Utf8(blamed.kind)},
          {"name", Utf8(blamed.name)},
          {"file", NameOrNull(blamed.file)},
          {"line", blamed.line > 0 ? Json(blamed.line) : Json(nullptr)},
          {"base_ns", FiniteJson(blamed.base_ns)},
          {"head_ns", FiniteJson(blamed.head_ns)}};
}

Json BenchmarkJson(const BenchmarkResult& one) {
  Json json = {{"name", Utf8(one.name)},
               {"verdict", VerdictText(one.verdict)},
               {"note", NameOrNull(one.note)},
               {"clock", one.clock},
               {"rounds", one.rounds},
               {"fresh_rounds", one.fresh_rounds},
               {"calls", one.calls}};
  const bool times = HasTimes(one);
  json["base_ns"] = times ? FiniteJson(one.base_ns) : Json(nullptr);
  json["head_ns"] = times ? FiniteJson(one.head_ns) : Json(nullptr);
  json["change_percent"] = times ? FiniteJson(ChangePercent(one.estimate.effect)) : Json(nullptr);
  json["interval_percent"] =
      times && one.estimate.df > 0 ? IntervalJson(one.interval) : Json(nullptr);
  json["detectable_percent"] =
      times && one.estimate.df > 0 ? FiniteJson(ChangePercent(one.detectable)) : Json(nullptr);
  const bool cpu = times && one.base_cpu_ns > 0;
  json["cpu_change_percent"] = cpu ? FiniteJson(ChangePercent(one.cpu_effect)) : Json(nullptr);
  json["cpu_interval_percent"] = cpu ? IntervalJson(one.cpu_interval) : Json(nullptr);
  Json counts = Json::array(), blamed = Json::array();
  for (const ChangedCount& count : one.counts) {
    counts.push_back({{"name", Utf8(count.name)},
                      {"base", count.base},
                      {"head", count.head},
                      {"per", count.per}});
  }
  for (const Blamed& each : one.blamed) blamed.push_back(BlamedJson(each));
  json["counts"] = std::move(counts);
  json["blamed"] = std::move(blamed);
  json["base"] = FilesJson(one.base);
  json["head"] = FilesJson(one.head);
  return json;
}

}  // namespace

std::string PerTestJson(const CiRun& run, const PerTestResult& result, const CiMachine& machine) {
  Json list = Json::array();
  for (const BenchmarkResult& one : result.benchmarks) list.push_back(BenchmarkJson(one));
  const Json json = {{"schema", "gprof-x.per-test/1"},
                     {"harness", result.harness},
                     {"headline", PerTestHeadline(result)},
                     {"status", PerTestStatus(result, run.ignore_failures)},
                     {"seconds", result.seconds},
                     {"run_seconds", result.run_seconds},
                     {"time_limit_reached", result.time_spent},
                     {"only_base", TextsJson(result.only_base)},
                     {"only_head", TextsJson(result.only_head)},
                     {"machine_load", machine.load ? Json(*machine.load) : Json(nullptr)},
                     {"benchmarks", std::move(list)}};
  return PrintedJson(json, 1);
}

}  // namespace gprofx
