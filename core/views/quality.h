// Computes the quality of the data: the numbers in the second line of every report, and whether the
// data is good or degraded.
//
// Shares are relative to what was collected. accounted + lost + unexplained = measured; each is
// shown. A flaw is a code for a reason why data is degraded. Its numbers are fields of DataQuality
// or GpuQuality; the printing code makes a sentence of them. Pure. Times are nanoseconds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/cost/own_cost_figures.h"
#include "core/model/profile.h"
#include "core/views/culprits.h"
#include "core/views/gpu/gpu_quality.h"

namespace gprofx {

// Reasons why data is degraded, most important first. The comments name the fields that contain the
// numbers; those of GPU flaws are in GpuQuality.
enum class Flaw : uint8_t {
  kUnfinished,      // the recording did not end normally
  kNothingSampled,  // no process could be sampled: has_threads, not_sampled
  kNoThreadClocks,  // no measured time to compare accounted time with
  kLost,            // lost
  kUnexplained,     // unexplained(), when it is not negative
  kTooMuch,         // -unexplained(), when it is negative
  kNotSampled,      // unsampled
  kUnseen,          // unseen, why_unseen
  kTruncated,       // truncated, culprits
  kPythonMissing,   // python_broken
  kLowRate,         // rate_reached_hz
  kPcDropped,       // pc_dropped
  kPcBufferFull,    // pc_buffer_full, pc_gap_ns
  kLaunchesLost,    // launches_lost
  kRecordsDropped,  // work_records_dropped
  kGpuStreamFull,   // stream_full
};

struct DataQuality {
  bool wall_clock = false;  // measured, accounted and lost are wall time, not CPU time
  int64_t measured = 0, accounted = 0, lost = 0;
  int64_t unsymbolized = 0;     // part of accounted
  int64_t unseen = 0;           // part of accounted: CPU time of samples that could not be taken
  std::string_view why_unseen;  // the reason with most of that time; points into the profile
  // Part of `accounted` that gprof-x and CUPTI used. It may overlap with the other parts.
  int64_t profiling = 0;
  // Cost of samples (handler, interrupt, signal) and of gprof-x's start-up work.
  int64_t overhead = 0;
  int64_t unsampled = 0;  // CPU time of processes that were not sampled; not in measured
  bool overhead_known = false;
  OwnCostFigures own_cost;
  bool has_threads = false;  // the processes that could be sampled had threads
  int64_t samples = 0, truncated = 0, python_broken = 0;
  double rate_asked_hz = 0, rate_reached_hz = 0;  // 0 = unknown
  // Maximum number of sampling periods per sample. It is above 1 if the overhead budget lowered the
  // rate.
  int64_t periods = 1;
  std::vector<Culprit> culprits;      // modules at which stacks were truncated, most samples first
  bool complete = false;              // the recording ended normally
  std::vector<Flaw> flaws;            // why the data is degraded; empty = good
  std::vector<std::string> problems;  // what the recorder reported, one line each
  int64_t not_sampled = 0;            // processes without samples of their own
  std::string not_sampled_text;       // the same processes by reason, with their names

  int64_t unexplained() const;
};

DataQuality AssessQuality(const Profile& profile, const GpuQuality& gpu);

}  // namespace gprofx
