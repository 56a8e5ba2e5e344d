// Reads the results folder of asv (airspeed velocity). It contains benchmarks.json, and a folder
// with machine.json for each machine. Each other .json file there has the results of a commit in an
// environment. Format version 2 is read; `asv update` converts older ones.
//
// As in asv itself, only results of the current version of a benchmark count. benchmarks.json has
// this version, and the unit. The name of a benchmark with parameters is "name(1, 'a')", as in the
// output of `asv compare`.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "cli/ci/benchmark_history/readers.h"
#include "cli/ci/benchmark_history/units.h"
#include "cli/ci/per_test/read_json.h"
#include "cli/folders.h"
#include "core/base/file_io.h"
#include "core/base/path.h"

namespace gprofx {
namespace {

constexpr int64_t kAsvVersion = 2;
constexpr size_t kLongestName = 4'000;  // bytes
constexpr size_t kMaxParams = 100;
constexpr char kMachineFile[] = "machine.json", kBenchmarksFile[] = "benchmarks.json";
constexpr char kRunAgain[] = "remove this file, or write it again with asv run";

bool IsThere(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

// Fails unless `json` has the version of the format that this code reads.
Status CheckVersion(const ReadJson& json, const std::string& path) {
  const int64_t version = CountOf(json, "version");
  if (version == kAsvVersion) return Ok();
  const bool is_newer = version > kAsvVersion;
  return Error{is_newer ? ErrorId::kNewerVersion : ErrorId::kOtherFormat,
               "'" + path + "' has version " + std::to_string(version) +
                   " of asv's format, but this program reads version 2",
               is_newer ? "use a newer gprof-x" : "run asv update"};
}

// Returns the files of a machine with the results of a commit.
Result<std::vector<std::string>> ResultFiles(const std::string& folder) {
  Result<std::vector<std::string>> names = NamesIn(folder);
  if (!names) return names.error();
  std::erase_if(*names, [](const std::string& name) {
    return !name.ends_with(".json") || name == kMachineFile || name == kBenchmarksFile;
  });
  return names;
}

// Returns the environment of a file of results, which asv names COMMIT-ENVIRONMENT.json. "" = it is
// another file.
std::string EnvironmentOf(const std::string& file) {
  const size_t dash = file.find('-');
  if (dash == std::string::npos) return "";
  return file.substr(dash + 1, file.rfind('.') - dash - 1);
}

std::vector<std::string> MachinesIn(const std::string& folder) {
  std::vector<std::string> machines;
  const Result<std::vector<std::string>> names = NamesIn(folder);
  if (!names) return machines;
  for (const std::string& name : *names) {
    if (IsThere(folder + "/" + name + "/" + kMachineFile)) machines.push_back(name);
  }
  return machines;
}

// The columns of a result that are read.
struct AsvColumns {
  size_t result = SIZE_MAX, params = SIZE_MAX, version = SIZE_MAX;
};

AsvColumns ColumnsOf(const ReadJson& json) {
  AsvColumns columns;
  const ReadJson* names = MemberOf(json, "result_columns");
  if (names == nullptr || !names->is_array()) return columns;
  for (size_t i = 0; i < names->size(); ++i) {
    if ((*names)[i] == "result") columns.result = i;
    if ((*names)[i] == "params") columns.params = i;
    if ((*names)[i] == "version") columns.version = i;
  }
  return columns;
}

const ReadJson* CellOf(const ReadJson& row, size_t column) {
  return row.is_array() && column < row.size() ? &row[column] : nullptr;
}

// Returns the name of a benchmark with its i-th combination of parameters; the last parameter
// changes first. "" if there is no such combination, or if the name is too
// long.
std::string NameOfCombination(const std::string& name, const ReadJson* params, size_t i) {
  if (params == nullptr || !params->is_array() || params->empty()) return i == 0 ? name : "";
  if (params->size() > kMaxParams) return "";
  std::vector<const std::string*> chosen(params->size());
  size_t size = name.size();
  for (size_t k = params->size(); k-- > 0;) {
    const ReadJson& values = (*params)[k];
    if (!values.is_array() || values.empty()) return "";
    const ReadJson& value = values[i % values.size()];
    if (!value.is_string()) return "";
    chosen[k] = value.get_ptr<const std::string*>();
    size += chosen[k]->size() + 2;
    if (size > kLongestName) return "";
    i /= values.size();
  }
  if (i > 0) return "";
  std::string whole = name + "(";
  for (const std::string* value : chosen) whole += (value == chosen.front() ? "" : ", ") + *value;
  return whole + ")";
}

Status AddRow(const std::string& name, const ReadJson& row, const AsvColumns& columns,
              const ReadJson& benchmark, BenchmarkTable& table) {
  const ReadJson* version = CellOf(row, columns.version);
  const ReadJson* current = MemberOf(benchmark, "version");
  if (version != nullptr && version->is_string() && current != nullptr && *version != *current) {
    return Ok();
  }
  const std::string unit = TextOf(benchmark, "unit");
  if (!TimeOfCall(1, unit)) {
    table.LeaveOut(name);
    return Ok();
  }
  const ReadJson* values = CellOf(row, columns.result);
  if (values == nullptr || !values->is_array()) return Ok();
  for (size_t i = 0; i < values->size(); ++i) {
    if (!(*values)[i].is_number()) continue;
    const std::string whole = NameOfCombination(name, CellOf(row, columns.params), i);
    if (whole.empty()) continue;
    // A number of calls per time that is 0 has no time of a call.
    const double ns = TimeOfCall((*values)[i].get<double>(), unit).value_or(0);
    if (const Status added = table.Add(whole, ns); !added) return added;
  }
  return Ok();
}

Status AddFile(const ReadJson& json, const ReadJson& benchmarks, BenchmarkTable& table) {
  const Status begun = table.Begin(TextOf(json, "commit_hash"), NumberOf(json, "date"));
  if (!begun) return begun;
  const AsvColumns columns = ColumnsOf(json);
  for (const auto& [name, row] : MemberOf(json, "results")->items()) {
    const ReadJson* benchmark = MemberOf(benchmarks, name.c_str());
    if (benchmark == nullptr) continue;
    if (const Status added = AddRow(name, row, columns, *benchmark, table); !added) return added;
  }
  return Ok();
}

Result<ReadJson> ReadResultFile(const std::string& path) {
  Result<ReadJson> json = ReadForeignJson(path, "", kRunAgain);
  if (!json) return json;
  if (const Status is = CheckVersion(*json, path); !is) return is.error();
  const ReadJson* results = MemberOf(*json, "results");
  if (results != nullptr && results->is_object() && ColumnsOf(*json).result != SIZE_MAX) {
    return json;
  }
  return Error{ErrorId::kOtherFormat, "'" + path + "' has no results of asv", kRunAgain};
}

Result<ReadJson> ReadBenchmarks(const std::string& folder) {
  const std::string path = folder + "/" + kBenchmarksFile;
  Result<ReadJson> json = ReadForeignJson(path, "", "copy it too: it has the units of the results");
  if (!json) return json;
  if (const Status is = CheckVersion(*json, path); !is) return is.error();
  return json;
}

Result<BenchmarkHistory> HistoryOfFiles(const std::string& folder,
                                        const std::vector<std::string>& files,
                                        const ReadJson& benchmarks) {
  BenchmarkTable table;
  for (const std::string& file : files) {
    const Result<ReadJson> json = ReadResultFile(folder + "/" + file);
    if (!json) return json.error();
    if (const Status added = AddFile(*json, benchmarks, table); !added) return added.error();
  }
  return table.Finish();
}

}  // namespace

std::optional<AsvResults> AsvResultsAt(const std::string& path) {
  if (IsThere(path + "/" + kMachineFile)) {
    const std::unique_ptr<char, void (*)(void*)> whole(realpath(path.c_str(), nullptr), &free);
    if (whole == nullptr) return std::nullopt;
    return AsvResults{FolderOf(whole.get()), std::string(BaseName(whole.get()))};
  }
  for (const char* below : {"", "/results"}) {
    if (!MachinesIn(path + below).empty()) return AsvResults{path + below, ""};
  }
  return std::nullopt;
}

Result<BenchmarkHistory> ReadAsv(const std::string& folder, const std::string& name) {
  const size_t slash = std::min(name.find('/'), name.size());
  const Result<std::string> machine =
      Chosen(folder, MachinesIn(folder), name.substr(0, slash), "machines");
  if (!machine) return machine.error();
  const std::string environment_name =
      slash < name.size() ? *machine + name.substr(slash) : std::string();
  const Result<ReadJson> benchmarks = ReadBenchmarks(folder);
  if (!benchmarks) return benchmarks.error();
  const std::string inside = folder + "/" + *machine;
  const Result<std::vector<std::string>> files = ResultFiles(inside);
  if (!files) return files.error();
  std::map<std::string, std::vector<std::string>> by_environment;
  for (const std::string& file : *files) {
    const std::string environment = EnvironmentOf(file);
    if (!environment.empty()) by_environment[*machine + "/" + environment].push_back(file);
  }
  if (by_environment.empty()) {
    return Error{ErrorId::kNoBaseline, "'" + inside + "' has no results of asv", "run asv run"};
  }
  std::vector<std::string> environments;
  for (const auto& [environment, its_files] : by_environment) environments.push_back(environment);
  const Result<std::string> environment =
      Chosen(folder, environments, environment_name, "environments");
  if (!environment) return environment.error();
  return HistoryOfFiles(inside, by_environment[*environment], *benchmarks);
}

}  // namespace gprofx
