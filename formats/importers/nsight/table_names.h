// Defines the names of the tables of an export that the importer reads.
#pragma once

namespace gprofx::importers::nsight {

inline constexpr char kKernels[] = "CUPTI_ACTIVITY_KIND_KERNEL";
inline constexpr char kCopies[] = "CUPTI_ACTIVITY_KIND_MEMCPY";
inline constexpr char kSets[] = "CUPTI_ACTIVITY_KIND_MEMSET";
inline constexpr char kGraphs[] = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";
inline constexpr char kCalls[] = "CUPTI_ACTIVITY_KIND_RUNTIME";
inline constexpr char kSyncs[] = "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION";
inline constexpr char kRanges[] = "NVTX_EVENTS";
inline constexpr char kStrings[] = "StringIds";
inline constexpr char kProcesses[] = "PROCESSES";
inline constexpr char kThreadNames[] = "ThreadNames";
inline constexpr char kGpus[] = "TARGET_INFO_GPU";
inline constexpr char kCudaDevices[] = "TARGET_INFO_CUDA_DEVICE";
inline constexpr char kSystem[] = "TARGET_INFO_SYSTEM_ENV";
inline constexpr char kSessionStart[] = "TARGET_INFO_SESSION_START_TIME";
inline constexpr char kCapture[] = "META_DATA_CAPTURE";
inline constexpr char kDetails[] = "ANALYSIS_DETAILS";
inline constexpr const char* kFacts[] = {"META_DATA_EXPORT", "EXPORT_META_DATA"};

// A table of calls of a library. The calls are spans of host threads.
struct CallTable {
  const char* table;
  const char* name;  // column with the name of the function
};
inline constexpr CallTable kLibraryCalls[] = {
    {"CUBLAS_EVENTS", "nameId"},          {"CUDNN_EVENTS", "nameId"},
    {"MPI_P2P_EVENTS", "textId"},         {"MPI_START_WAIT_EVENTS", "textId"},
    {"MPI_COLLECTIVES_EVENTS", "textId"}, {"MPI_OTHER_EVENTS", "textId"},
    {"OPENACC_DATA_EVENTS", "nameId"},    {"OPENACC_LAUNCH_EVENTS", "nameId"},
    {"OPENACC_OTHER_EVENTS", "nameId"},   {"UCP_EVENTS", "textId"},
    {"UCP_PROGRESS_EVENTS", "textId"},    {"UCP_SUBMIT_EVENTS", "textId"}};

}  // namespace gprofx::importers::nsight
