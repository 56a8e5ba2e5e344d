// The times of benchmarks in many versions, from the verdict.json files of `ci run --per-test`.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace gprofx {

struct BenchmarkVersion {
  std::string name;                  // of its file or folder
  std::map<std::string, double> ns;  // by benchmark: time of a call of the head
};

// Returns the versions in the order of their names. A version is a file NAME.json or a folder with
// a file verdict.json; what is neither, or another tool's, is left out. Blocking.
Result<std::vector<BenchmarkVersion>> ReadBenchmarkVersions(const std::string& folder);

// Returns the times of the benchmarks that all versions have.
std::map<std::string, std::vector<double>> CommonBenchmarks(
    const std::vector<BenchmarkVersion>& versions);

}  // namespace gprofx
