// Reads the data that github-action-benchmark (also called "continuous benchmark") keeps for its
// charts. data.js is `window.BENCHMARK_DATA = ` and a JSON object; with external-data-json-path,
// the object is the whole file. It has the member "entries": suite -> list of runs. A run has
// "commit" with an "id", "date", and "benches" with "name", "value" and "unit". The runs are in the
// order of the charts, the newest last; "date" is the time of the run and not of the commit.
#include "cli/ci/benchmark_history/readers.h"
#include "cli/ci/benchmark_history/units.h"
#include "cli/ci/per_test/read_json.h"

namespace gprofx {
namespace {

constexpr char kActionPrefix[] = "window.BENCHMARK_DATA = ";
constexpr char kWayOut[] =
    "name data.js of github-action-benchmark, or a folder of baselines or results";

Status AddBench(const ReadJson& bench, BenchmarkTable& table) {
  const std::string name = TextOf(bench, "name");
  const std::string unit = TextOf(bench, "unit");
  // The value 1 tells whether the unit is one of time: a rate of 0 has no time of a call.
  if (TimeOfCall(1, unit)) {
    return table.Add(name, TimeOfCall(NumberOf(bench, "value"), unit).value_or(0));
  }
  table.LeaveOut(name);
  return Ok();
}

Result<BenchmarkHistory> HistoryOfSuite(const ReadJson& runs) {
  BenchmarkTable table;
  for (const ReadJson& run : runs) {
    const ReadJson* commit = MemberOf(run, "commit");
    const ReadJson* benches = MemberOf(run, "benches");
    if (commit == nullptr || benches == nullptr || !benches->is_array()) continue;
    if (const Status begun = table.Begin(TextOf(*commit, "id"), 0); !begun) return begun.error();
    for (const ReadJson& bench : *benches) {
      if (const Status added = AddBench(bench, table); !added) return added.error();
    }
  }
  return table.Finish();
}

}  // namespace

Result<BenchmarkHistory> ReadActionData(const std::string& path, const std::string& name) {
  const Result<ReadJson> json = ReadForeignJson(path, kActionPrefix, kWayOut);
  if (!json) return json.error();
  const ReadJson* entries = MemberOf(*json, "entries");
  std::vector<std::string> suites;
  if (entries != nullptr && entries->is_object()) {
    for (const auto& [suite, runs] : entries->items()) {
      if (runs.is_array()) suites.push_back(suite);
    }
  }
  if (suites.empty()) {
    return Error{ErrorId::kOtherFormat, "'" + path + "' has no data of github-action-benchmark",
                 kWayOut};
  }
  const Result<std::string> suite = Chosen(path, suites, name, "suites");
  if (!suite) return suite.error();
  return HistoryOfSuite(entries->at(*suite));
}

}  // namespace gprofx
