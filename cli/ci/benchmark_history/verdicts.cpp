#include <string.h>

#include <algorithm>
#include <map>

#include "cli/ci/benchmark_history/readers.h"
#include "cli/ci/per_test/read_json.h"
#include "cli/folders.h"
#include "core/base/file_io.h"

namespace gprofx {
namespace {

constexpr char kSchema[] = "gprof-x.per-test/1";
constexpr char kEnding[] = ".json";

struct Verdict {
  std::string name;                  // name of the version's file or folder
  std::map<std::string, double> ns;  // benchmark -> time of a call in the head
};

std::map<std::string, double> TimesIn(const ReadJson& json) {
  std::map<std::string, double> times;
  const ReadJson* list = MemberOf(json, "benchmarks");
  if (TextOf(json, "schema") != kSchema || list == nullptr || !list->is_array()) return times;
  for (const ReadJson& one : *list) {
    const double ns = NumberOf(one, "head_ns");
    if (ns > 0) times[TextOf(one, "name")] = ns;
  }
  return times;
}

}  // namespace

Result<BenchmarkHistory> ReadVerdicts(const std::string& folder) {
  const Result<std::vector<std::string>> names = NamesIn(folder);
  if (!names) return names.error();
  std::vector<Verdict> verdicts;
  for (const std::string& name : *names) {
    const std::string inside = folder + "/" + name;
    const bool is_folder = IsFolder(inside);
    if (!is_folder && !name.ends_with(kEnding)) continue;
    const Result<ReadJson> json = ReadHarnessJson(is_folder ? inside + "/verdict.json" : inside);
    if (!json) continue;
    std::map<std::string, double> times = TimesIn(*json);
    if (times.empty()) continue;
    verdicts.push_back({is_folder ? name : name.substr(0, name.rfind('.')), std::move(times)});
  }
  std::sort(verdicts.begin(), verdicts.end(), [](const auto& a, const auto& b) {
    return strverscmp(a.name.c_str(), b.name.c_str()) < 0;
  });
  BenchmarkTable table;
  for (const Verdict& verdict : verdicts) {
    if (const Status begun = table.Begin(verdict.name, 0); !begun) return begun.error();
    for (const auto& [benchmark, ns] : verdict.ns) {
      if (const Status added = table.Add(benchmark, ns); !added) return added.error();
    }
  }
  return table.Finish();
}

}  // namespace gprofx
