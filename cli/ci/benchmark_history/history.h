// Reads the times of benchmarks in many versions: results of `ci run --per-test`, results of asv,
// and the data of github-action-benchmark. All these files are untrusted input.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace gprofx {

struct BenchmarkHistory {
  std::vector<std::string> versions;  // names or commits, oldest first
  // Benchmark -> time of a call in each version, in ns; NaN = not measured.
  std::map<std::string, std::vector<double>> ns;
  size_t left_out = 0;      // number of benchmarks that measure no time
  size_t not_positive = 0;  // number of times that are left out because they are not positive
  size_t older = 0;         // number of versions that are left out because there are too many

  // Returns the benchmarks that were measured in enough versions to find a change: in `least`, or
  // in all if there are fewer.
  std::map<std::string, std::vector<double>> WithAtLeast(size_t least) const;
};

// Reads the history in a folder or file. nullopt if it is a folder without results of benchmarks.
// `name` selects a machine or suite if there are several; "" = the only one. Blocking.
Result<std::optional<BenchmarkHistory>> ReadBenchmarkHistory(const std::string& path,
                                                             const std::string& name);

}  // namespace gprofx
