// Reads the times of benchmarks in many versions from the verdict.json files of `ci run
// --per-test`.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace gprofx {

struct BenchmarkVersion {
  std::string name;                  // name of the version's file or folder
  std::map<std::string, double> ns;  // benchmark -> time of a call in the head
};

// Returns the versions in `folder`, sorted by name. A version is a file NAME.json, or a folder that
// contains verdict.json. Ignores all other files. Blocking.
Result<std::vector<BenchmarkVersion>> ReadBenchmarkVersions(const std::string& folder);

// Returns the times of each benchmark, one per version. Includes only benchmarks that all versions
// have.
std::map<std::string, std::vector<double>> CommonBenchmarks(
    const std::vector<BenchmarkVersion>& versions);

}  // namespace gprofx
