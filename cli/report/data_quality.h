// How good the data is, before what it means: the numbers of the second line of every report and
// the verdict.
//
// Shares are of what was collected. accounted + lost + unexplained = measured; each is shown, none
// is hidden. Pure. Times are nanoseconds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/report/culprits.h"
#include "core/profile.h"

namespace gprofx {

struct DataQuality {
  std::string clock;  // "CPU" or "wall": what measured, accounted and lost count
  int64_t measured = 0, accounted = 0, lost = 0;
  int64_t unsymbolized = 0;  // part of accounted
  int64_t overhead = 0;      // time in the sampling handler and of our start-up, by their clocks
  int64_t unsampled = 0;     // CPU time of processes that were not sampled; not part of measured
  bool overhead_known = false;
  int64_t samples = 0, truncated = 0, python_broken = 0;
  std::vector<Culprit> culprits;      // of truncated stacks
  bool complete = false;              // the recording came to its end
  std::vector<std::string> reasons;   // why the data is degraded; empty = good
  std::vector<std::string> problems;  // what the recorder reported, one line each
  int64_t not_sampled = 0;            // processes without samples of their own
  std::string not_sampled_text;       // ... by reason, with their names

  int64_t unexplained() const;
};

DataQuality AssessQuality(const Profile& profile);

}  // namespace gprofx
