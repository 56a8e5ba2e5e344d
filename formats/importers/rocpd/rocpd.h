// Imports recordings of AMD GPUs by rocprofv3 and rocprof-sys: "rocpd" files (SQLite), the default
// format from ROCm 7.0 on.
//
//   table                          becomes
//   rocpd_kernel_dispatch          kernels, below the call with the same stack id
//   rocpd_memory_copy              copies, below the call with the same stack id
//   rocpd_region                   calls of HIP, HSA, RCCL and others: frames of kind native, or
//                                  cuda_api if the host waits; ranges of roctx: markers, and frames
//                                  of kind operator
//   rocpd_sample                   moments of roctx: markers
//   rocpd_info_...                 names and facts
//   memory allocations, counters, call stacks      counted by name
//
// A file has a set of these tables for each recording in it; the table names of a set end in the id
// of the recording. There are two layouts. From ROCm 7.0 on, a row contains its times, process and
// thread; in later versions it refers to rows of rocpd_timestamp and rocpd_track. The environment
// of the program, which is in rocpd_info_process, is never read. Source of the schema:
// rocprofiler-sdk, source/share/rocprofiler-sdk-rocpd/rocpd_tables.sql (schema 3).
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "formats/importers/trace_gather.h"

namespace gprofx::importers {

enum class RocmDatabase : uint8_t { kNone, kRocpd, kRocmProfileData };

// Returns what kind of file an SQLite file is, by the names of its tables. It may be one of
// RocmProfileData, an older tool whose tables have similar names.
RocmDatabase RocmDatabaseOf(const std::string& path);

// Reads a file into `gather`, and returns a description of what was read: "rocprofv3 (rocpd)".
Result<std::string> ReadRocpd(const std::string& path, TraceGather& gather);

}  // namespace gprofx::importers
