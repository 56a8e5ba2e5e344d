// Measured FLOP and bytes of kernels: reads them from a table of Nsight Compute, and writes and
// reads them in a profile. A profile stores them in the table kernel_counter, whose rows refer to
// its launch configurations. Blocking; one thread.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/kernels/kernel_counters.h"
#include "formats/database/added_table.h"

namespace gprofx {

// Returns the metrics to request from ncu, limited to those that the GPU has (`available`: base
// names as listed by `ncu --query-metrics`; empty = not known): bytes of device memory, operations
// of ordinary cores by type, operations of tensor cores by type.
std::vector<std::string> MetricsToMeasure(const std::vector<std::string>& available);

// Reads a table of Nsight Compute. Sets the FLOP of the launches only if all columns that FLOP are
// computed from are present. Returns an error if the table has neither FLOP nor bytes.
Result<std::vector<MeasuredLaunch>> ReadMeasuredLaunches(const std::string& path);

inline constexpr char kCounterTable[] = "kernel_counter";
AddedTable TableOf(const std::vector<KernelCounters>& counters);
// Reads the rows of kCounterTable. Returns an error if a row is invalid. `configs`: number of
// launch configurations in the profile.
Result<std::vector<KernelCounters>> CountersOf(const AddedTable& table, size_t configs);

}  // namespace gprofx
