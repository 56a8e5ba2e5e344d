// Adds up data over the processes of a recording, ended or alive: their counters, and the time that
// their rings contributed. Times are ns. One thread.
#pragma once

#include <cstdint>

#include "samplers/collector/drain/drain.h"
#include "samplers/collector/gpu/counters.h"
#include "samplers/collector/quality.h"

namespace gprofx {

struct ProcessTotals {
  AgentCounters agent;
  GpuCounters gpu;
  int64_t gpu_entries = 0;  // CUDA calls that were found in the rings
  int64_t marker_records = 0;
  int64_t accounted_ns = 0;  // ns of the sampled clock
  int64_t sampled_ns = 0;    // part of accounted_ns: the weights of samples
  int64_t bad_records = 0;
  int64_t ingest_ns = 0;  // time that the recorder spent on reading their records

  void Add(ProcessDrain& drain);
};

}  // namespace gprofx
