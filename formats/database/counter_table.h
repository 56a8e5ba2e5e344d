// Measured FLOP and bytes of kernels: out of a table of Nsight Compute, into a profile and out of
// it. A profile keeps them in the table kernel_counter, whose rows refer to its launch
// configurations. Blocking; one thread.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/kernels/kernel_counters.h"
#include "formats/database/added_table.h"

namespace gprofx {

// The metrics to ask ncu for, of those that the GPU has (`available`: base names as
// `ncu --query-metrics` lists them; empty = not known): bytes of device memory, operations of
// ordinary cores by type, operations of tensor cores by type.
std::vector<std::string> MetricsToMeasure(const std::vector<std::string>& available);

// FLOP are there only where all columns are that they are made of. An error where the table has
// neither FLOP nor bytes.
Result<std::vector<MeasuredLaunch>> ReadMeasuredLaunches(const std::string& path);

inline constexpr char kCounterTable[] = "kernel_counter";
AddedTable TableOf(const std::vector<KernelCounters>& counters);
// Rows that do not fit are an error. `configs`: how many the profile has.
Result<std::vector<KernelCounters>> CountersOf(const AddedTable& table, size_t configs);

}  // namespace gprofx
