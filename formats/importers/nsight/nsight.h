// Imports SQLite exports of Nsight Systems (nsys export --type sqlite), schema 3.
//
//   table                             becomes
//   CUPTI_ACTIVITY_KIND_KERNEL, _MEMCPY, _MEMSET
//                                     GPU work, below the call with the same correlation id
//   CUPTI_ACTIVITY_KIND_GRAPH_TRACE   GPU work: a launch of a CUDA graph as a whole
//   CUPTI_ACTIVITY_KIND_RUNTIME, calls of cuBLAS, cuDNN, MPI, OpenACC, UCX
//                                     frames of kind native, or cuda_api if the host waits
//   CUPTI_ACTIVITY_KIND_SYNCHRONIZATION
//                                     rows of the stream "syncs"
//   NVTX_EVENTS                       ranges of a thread: frames of kind operator and markers;
//                                     others: markers
//   TARGET_INFO_GPU, PROCESSES, ThreadNames
//                                     names and facts
//   any other table of events         counted by name
//
// An export holds the whole environment of the recorded program twice, in TARGET_INFO_SYSTEM_ENV
// and in META_DATA_CAPTURE. Of these two tables, and of META_DATA_EXPORT or EXPORT_META_DATA
// (older), only rows with names listed in nsight.cpp and devices.cpp are read.
#pragma once

#include <string>

#include "core/base/result.h"
#include "formats/importers/trace_gather.h"

namespace gprofx::importers {

// Reads an export into `gather`, and returns a description of what was read: "Nsight Systems
// 2025.3.1.90 (SQLite export 3.20.2)".
Result<std::string> ReadNsight(const std::string& path, TraceGather& gather);

}  // namespace gprofx::importers
