// record --counters: runs the program again under Nsight Compute, after the recording. That
// measures the largest kernels, and the result is stored in the profile (cli/counters.h).
//
// The recording determines which launches are measured (core/kernels/kernel_counters.h), in such a
// way that the run time is limited. All other launches run without measurement. Standard output of
// the second run is discarded. Blocking; one thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/record/lines.h"
#include "core/base/result.h"
#include "core/kernels/kernel_counters.h"

namespace gprofx::record {

// Returns the path of ncu. If ncu is not found, the error says where to get it.
Result<std::string> FindNcu(const std::function<const char*(const char*)>& env);

// Returns the command line that runs `command` under ncu and lets ncu write its table to `log`.
// Pure.
std::vector<std::string> NcuCommand(const std::string& ncu, const LaunchesToMeasure& launches,
                                    const std::vector<std::string>& metrics, const std::string& log,
                                    const std::vector<std::string>& command);

// Returns the names of the metrics that are in `listing`, the output of `ncu --query-metrics`.
// Pure.
std::vector<std::string> MetricsIn(const std::string& listing);

// Measures the kernels and prints one line that says what was measured, or why nothing was. The
// profile is complete without the measurements.
void AddCounters(const std::string& ncu, const std::string& profile,
                 const std::vector<std::string>& command, Lines& lines);

}  // namespace gprofx::record
