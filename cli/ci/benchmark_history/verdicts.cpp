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

// A file or folder that may be a version.
struct Candidate {
  std::string name;  // of the version
  std::string path;  // of verdict.json
};

// Returns the candidates, sorted by name.
std::vector<Candidate> CandidatesIn(const std::string& folder,
                                    const std::vector<std::string>& names) {
  std::vector<Candidate> candidates;
  for (const std::string& name : names) {
    const std::string inside = folder + "/" + name;
    if (IsFolder(inside)) {
      candidates.push_back({name, inside + "/verdict.json"});
    } else if (name.ends_with(kEnding)) {
      candidates.push_back({name.substr(0, name.rfind('.')), inside});
    }
  }
  std::sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) {
    return strverscmp(a.name.c_str(), b.name.c_str()) < 0;
  });
  return candidates;
}

// Returns the time of a call of each benchmark in the head.
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
  BenchmarkTable table;
  for (const Candidate& candidate : CandidatesIn(folder, *names)) {
    const Result<ReadJson> json = ReadHarnessJson(candidate.path);
    if (!json) continue;
    const std::map<std::string, double> times = TimesIn(*json);
    if (times.empty()) continue;
    if (const Status begun = table.Begin(candidate.name, 0); !begun) return begun.error();
    for (const auto& [benchmark, ns] : times) {
      if (const Status added = table.Add(benchmark, ns); !added) return added.error();
    }
  }
  return table.Finish();
}

}  // namespace gprofx
