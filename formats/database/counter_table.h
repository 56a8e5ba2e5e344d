// Converts measured FLOP and bytes of kernels: reads them from a table of Nsight Compute, and
// converts them to and from the table kernel_counter of a profile. The rows of kernel_counter refer
// to the launch configurations of the profile. Blocking; one thread.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/kernels/kernel_counters.h"
#include "formats/database/added_table.h"

namespace gprofx {

// Returns the metrics to request from ncu: the bytes of device memory, and the operations of
// ordinary cores and of tensor cores, both by type. `available` holds the base names that `ncu
// --query-metrics` lists for this GPU; it is empty if they are not known.
std::vector<std::string> MetricsToMeasure(const std::vector<std::string>& available);

// Reads the launches in a table of Nsight Compute. A launch has FLOP only if the table has all
// columns that are needed to compute them. Returns an error if the table has neither FLOP nor
// bytes.
Result<std::vector<MeasuredLaunch>> ReadMeasuredLaunches(const std::string& path);

inline constexpr char kCounterTable[] = "kernel_counter";
AddedTable TableOf(const std::vector<KernelCounters>& counters);
// Reads the rows of kCounterTable. Returns an error if a row is invalid. `configs` is the number of
// launch configurations in the profile.
Result<std::vector<KernelCounters>> CountersOf(const AddedTable& table, size_t configs);

}  // namespace gprofx
