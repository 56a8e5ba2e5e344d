// One reader for each kind of file, and the table that they fill. Blocking, except the table.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/ci/benchmark_history/history.h"
#include "cli/ci/per_test/read_json.h"
#include "core/base/result.h"

namespace gprofx {

// Collects times version by version. Keeps only the newest versions. Its size is bounded, because
// the files are untrusted.
class BenchmarkTable {
 public:
  // Starts the next version. Versions are sorted by `order`; equal ones keep their order. Begin()
  // and Add() fail if the table is too large.
  Status Begin(std::string name, double order);

  // Adds the time of a benchmark in the version that Begin() started. Only counts a time that is
  // not positive.
  Status Add(const std::string& benchmark, double ns);

  // Adds a benchmark that measures no time.
  void LeaveOut(const std::string& benchmark);

  BenchmarkHistory Finish();

 private:
  Status CheckSize() const;
  void KeepNewest();  // sorts the versions and drops the oldest

  std::vector<std::pair<double, std::string>> versions_;
  std::map<std::string, std::vector<double>> ns_;  // shorter than versions_: not measured since
  std::map<std::string, bool> left_out_;
  size_t name_bytes_ = 0;
  size_t older_ = 0;  // number of versions that were dropped
  size_t not_positive_ = 0;
};

// Returns the versions in `folder`, sorted by name. A version is a file NAME.json, or a folder that
// contains verdict.json. Ignores other files, including those of other programs.
Result<BenchmarkHistory> ReadVerdicts(const std::string& folder);

// Where asv has its results. `machine` is set if the path is the folder of a machine.
struct AsvResults {
  std::string folder, machine;
};
// Returns the results at `path`, or in a folder in it. nullopt = there are none.
std::optional<AsvResults> AsvResultsAt(const std::string& path);
// `name` is "MACHINE", or "MACHINE/ENVIRONMENT" if the machine has several.
Result<BenchmarkHistory> ReadAsv(const std::string& folder, const std::string& name);

// Reads data.js, or the same data as JSON.
Result<BenchmarkHistory> ReadActionData(const std::string& path, const std::string& name);

// Reads JSON as ReadHarnessJson() does, with two differences. It ignores `prefix` before
// the JSON and semicolons after it.
// It also accepts NaN and Infinity, which Python writes although JSON has no such values; they
// become null. `way_out` is the remedy in an error.
Result<ReadJson> ReadForeignJson(const std::string& path, std::string_view prefix,
                                 const std::string& way_out);

// Returns the choice that `name` selects, or the only one if `name` is empty. The start of a name
// is enough if no other choice has it. Otherwise fails and lists the choices. `what` is the word
// for several of them: "machines".
Result<std::string> Chosen(const std::string& path, const std::vector<std::string>& choices,
                           const std::string& name, const std::string& what);

}  // namespace gprofx
