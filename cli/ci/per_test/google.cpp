// Implements the harness for Google Benchmark. It uses --benchmark_list_tests, --benchmark_filter
// and the JSON output.
#include <algorithm>
#include <string_view>

#include "cli/ci/per_test/harness.h"
#include "cli/ci/per_test/lines.h"
#include "cli/ci/per_test/read_json.h"

namespace gprofx {
namespace {

// Returns a regular expression that matches only the benchmark `name`.
std::string ExactPattern(const std::string& name) {
  std::string pattern = "^";
  for (const char c : name) {
    if (std::string_view(".^$|()[]{}*+?\\").find(c) != std::string_view::npos) pattern += '\\';
    pattern += c;
  }
  return pattern + "$";
}

double UnitNs(const std::string& unit) {
  if (unit == "us") return 1e3;
  if (unit == "ms") return 1e6;
  return unit == "s" ? 1e9 : 1;
}

class Google : public Harness {
 public:
  const char* name() const override { return "Google Benchmark"; }

  std::vector<std::string> ListWords(const std::string&) const override {
    return {"--benchmark_list_tests=true"};
  }

  bool ListsWithStatusZero() const override { return true; }

  Result<std::vector<std::string>> ReadList(const std::string& stem) override {
    Result<std::vector<std::string>> lines = ReadLines(stem + ".log");
    // Lines that begin with *** are warnings about the machine.
    if (lines) std::erase_if(*lines, [](const auto& line) { return line.starts_with("***"); });
    return lines;
  }

  Result<std::vector<std::string>> RunWords(const std::string& benchmark, const std::string& stem,
                                            const WorkAmount&, const TurnFiles&) const override {
    return std::vector<std::string>{
        "--benchmark_filter=" + ExactPattern(benchmark), "--benchmark_out=" + stem + ".json",
        "--benchmark_out_format=json", "--benchmark_min_time=0.1", "--benchmark_repetitions=5"};
  }

  Result<BenchmarkTimes> ReadTimes(const std::string& stem) const override {
    const Result<ReadJson> json = ReadHarnessJson(stem + ".json");
    if (!json) return json.error();
    BenchmarkTimes times;
    std::vector<double> wall, cpu;
    const ReadJson* list = MemberOf(*json, "benchmarks");
    for (const ReadJson& each : list != nullptr && list->is_array() ? *list : ReadJson::array()) {
      if (TextOf(each, "run_type") == "aggregate") continue;
      if (!TextOf(each, "error_message").empty()) times.problem = TextOf(each, "error_message");
      const double unit = UnitNs(TextOf(each, "time_unit"));
      wall.push_back(NumberOf(each, "real_time") * unit);
      cpu.push_back(NumberOf(each, "cpu_time") * unit);
      times.work.calls = std::max<int64_t>(CountOf(each, "iterations"), 1);
    }
    times.work.batches = static_cast<int64_t>(wall.size());
    times.wall_ns = LeastOf(wall);
    times.cpu_ns = LeastOf(cpu);
    if (times.wall_ns <= 0 && times.problem.empty()) times.problem = "it measured nothing";
    return times;
  }
};

}  // namespace

std::unique_ptr<Harness> GoogleHarness() { return std::make_unique<Google>(); }

}  // namespace gprofx
