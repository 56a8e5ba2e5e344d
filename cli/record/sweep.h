// record --sweep 'NAME=V1 V2 ...': runs the same command once for each value of an environment
// variable. Each run has a profile with the label NAME=VALUE, for the analyses A1 and A15 of
// gprof-x analyze. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/record/series.h"
#include "core/base/result.h"

namespace gprofx::record {

struct Sweep {
  std::string variable;
  std::vector<std::string> values;  // in the order given; a value that is given twice occurs once
};

Result<Sweep> ParseSweep(std::string_view text);
std::vector<SeriesRun> RunsOf(const Sweep& sweep, const std::string& output);

}  // namespace gprofx::record
