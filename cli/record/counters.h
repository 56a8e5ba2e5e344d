// record --counters: once a program was recorded, Nsight Compute runs it again and measures its
// largest kernels; what it says goes into the profile (cli/counters.h).
//
// Launches are chosen from the recording (core/kernels/kernel_counters.h), so that the run ends:
// the others run as they are. What the program writes to standard output goes nowhere the second
// time. Blocking; one thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/record/lines.h"
#include "core/base/result.h"
#include "core/kernels/kernel_counters.h"

namespace gprofx::record {

// The path of ncu; an error says where to get it.
Result<std::string> FindNcu(const std::function<const char*(const char*)>& env);

// The command line, `command` in it; `log` gets the table. Pure.
std::vector<std::string> NcuCommand(const std::string& ncu, const LaunchesToMeasure& launches,
                                    const std::vector<std::string>& metrics, const std::string& log,
                                    const std::vector<std::string>& command);

// Base names of metrics in what `ncu --query-metrics` prints. Pure.
std::vector<std::string> MetricsIn(const std::string& listing);

// Says one line of what was measured, or why nothing was: the profile is whole without it.
void AddCounters(const std::string& ncu, const std::string& profile,
                 const std::vector<std::string>& command, Lines& lines);

}  // namespace gprofx::record
