#include "cli/ci/per_test/history.h"

#include <string.h>

#include <algorithm>

#include "cli/ci/per_test/read_json.h"
#include "cli/folders.h"
#include "core/base/file_io.h"

namespace gprofx {
namespace {

constexpr char kSchema[] = "gprof-x.per-test/1";
constexpr char kEnding[] = ".json";

std::map<std::string, double> TimesIn(const Json& json) {
  std::map<std::string, double> times;
  const Json* list = MemberOf(json, "benchmarks");
  if (TextOf(json, "schema") != kSchema || list == nullptr || !list->is_array()) return times;
  for (const Json& one : *list) {
    const double ns = NumberOf(one, "head_ns");
    if (ns > 0) times[TextOf(one, "name")] = ns;
  }
  return times;
}

}  // namespace

Result<std::vector<BenchmarkVersion>> ReadBenchmarkVersions(const std::string& folder) {
  const Result<std::vector<std::string>> names = NamesIn(folder);
  if (!names) return names.error();
  std::vector<BenchmarkVersion> versions;
  for (const std::string& name : *names) {
    const std::string inside = folder + "/" + name;
    const bool is_folder = IsFolder(inside);
    if (!is_folder && !name.ends_with(kEnding)) continue;
    const Result<Json> json = ReadHarnessJson(is_folder ? inside + "/verdict.json" : inside);
    if (!json) continue;
    std::map<std::string, double> times = TimesIn(*json);
    if (times.empty()) continue;
    versions.push_back({is_folder ? name : name.substr(0, name.rfind('.')), std::move(times)});
  }
  std::sort(versions.begin(), versions.end(), [](const auto& a, const auto& b) {
    return strverscmp(a.name.c_str(), b.name.c_str()) < 0;
  });
  return versions;
}

std::map<std::string, std::vector<double>> CommonBenchmarks(
    const std::vector<BenchmarkVersion>& versions) {
  std::map<std::string, std::vector<double>> all;
  for (const BenchmarkVersion& version : versions) {
    for (const auto& [name, ns] : version.ns) all[name].push_back(ns);
  }
  std::erase_if(all, [&](const auto& one) { return one.second.size() != versions.size(); });
  return all;
}

}  // namespace gprofx
