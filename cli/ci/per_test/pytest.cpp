// Implements the harness for pytest. It uses the plugin gprof_x.pytest of the Python package.
#include <algorithm>

#include "cli/ci/per_test/harness.h"
#include "cli/ci/per_test/read_json.h"
#include "cli/json_text.h"
#include "cli/text_file.h"
#include "core/base/path.h"

namespace gprofx {
namespace {

class Pytest : public Harness {
 public:
  const char* name() const override { return "pytest"; }

  bool MarksBatches() const override { return true; }
  bool TakesTurns() const override { return true; }

  std::vector<std::string> ListWords(const std::string& stem) const override {
    return {"-p", "gprof_x.pytest", "--collect-only", "-q", "--gprofx-list=" + stem + ".json"};
  }

  Result<std::vector<std::string>> ReadList(const std::string& stem) override {
    const Result<ReadJson> json = ReadHarnessJson(stem + ".json");
    if (!json) return json.error();
    std::vector<std::string> names;
    const ReadJson* list = MemberOf(*json, "benchmarks");
    if (list == nullptr || !list->is_array()) return names;
    for (const ReadJson& each : *list) {
      if (each.is_string()) names.push_back(each.get<std::string>());
    }
    return names;
  }

  Result<std::vector<std::string>> RunWords(const std::string& benchmark, const std::string& stem,
                                            const WorkAmount& work,
                                            const TurnFiles& turns) const override {
    Json request = {{"id", Utf8(benchmark)}, {"out", Utf8(stem + ".json")}};
    if (work.calls > 0) request["calls"] = work.calls;
    if (work.batches > 0) request["batches"] = work.batches;
    if (!turns.own.empty()) {
      request["turns"] = {
          {"own", Utf8(turns.own)}, {"other", Utf8(turns.other)}, {"first", turns.first}};
    }
    const std::string path = stem + ".request";
    const Status written =
        WriteTextFile(path, PrintedJson(request, 1), "name another folder with -o");
    if (!written) return written.error();
    return std::vector<std::string>{"-p", "gprof_x.pytest", "-q", "--gprofx-run=" + path};
  }

  Result<BenchmarkTimes> ReadTimes(const std::string& stem) const override {
    const Result<ReadJson> json = ReadHarnessJson(stem + ".json");
    if (!json) return json.error();
    BenchmarkTimes times;
    times.problem = TextOf(*json, "why");
    times.skipped = TextOf(*json, "problem") == "skipped";
    times.wall = NumbersOf(*json, "wall_ns");
    times.cpu = NumbersOf(*json, "cpu_ns");
    if (MemberOf(*json, "waits") != nullptr) times.waits = MedianOf(NumbersOf(*json, "waits"));
    times.work = {std::max<int64_t>(CountOf(*json, "calls"), 1),
                  static_cast<int64_t>(times.wall.size())};
    times.wall_ns = LeastOf(times.wall) / static_cast<double>(times.work.calls);
    times.cpu_ns = LeastOf(times.cpu) / static_cast<double>(times.work.calls);
    if (times.wall_ns <= 0 && times.problem.empty()) times.problem = "it measured nothing";
    return times;
  }
};

}  // namespace

std::unique_ptr<Harness> PytestHarness() { return std::make_unique<Pytest>(); }

std::string HarnessInWords(const std::vector<std::string>& words) {
  const bool runs_pytest = std::any_of(words.begin(), words.end(), [](const std::string& word) {
    for (size_t at = 0; at < word.size();) {  // a word may be a shell line
      const size_t end = std::min(word.find_first_of(" \t\n;&|", at), word.size());
      const std::string_view name = BaseName(std::string_view(word).substr(at, end - at));
      if (name == "pytest" || name == "py.test") return true;
      at = end + 1;
    }
    return false;
  });
  return runs_pytest ? "pytest" : "";
}

std::unique_ptr<Harness> HarnessOf(const std::string& name) {
  if (name == "pytest") return PytestHarness();
  if (name == "google") return GoogleHarness();
  if (name == "catch2") return Catch2Harness();
  return nullptr;
}

}  // namespace gprofx
