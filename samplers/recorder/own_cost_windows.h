// Measures what CPU samples cost while the program runs: ends and begins them for the windows of
// QuietWindows, and says at the end what all of the recording cost (core/own_cost.h).
//
// Only where a budget was asked for (--overhead PERCENT) and the program puts work on a GPU: launches
// are the work that is counted. One thread. Times are HostNs.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "samplers/collector/perf_events.h"
#include "samplers/collector/process_table.h"
#include "samplers/collector/session.h"
#include "samplers/recorder/quiet_windows.h"

namespace gprofx {

// Why there is no figure; quality own_cost_missing.
enum class NoOwnCost : int64_t {
  kNone = 0,        // there is one
  kNotAsked = 1,    // nobody asked for a budget: nothing is switched
  kNoLaunches = 2,  // nothing to count by
  kFewWindows = 3,  // the run was too short, or levels changed, or were commanded, too often
};

class OwnCostWindows {
 public:
  OwnCostWindows(bool wanted, Session& session, PerfEvents& events)
      : wanted_(wanted),
        session_(session),
        events_(events),
        windows_(static_cast<uint64_t>(session.start_ns())) {}

  // When Follow has something to do; INT64_MAX = never.
  HostNs next() const { return wanted_ ? windows_.next() : INT64_MAX; }
  // `own`: samples are wanted now, and nobody commands levels.
  void Follow(const ProcessTable& processes, bool own);
  // Samples go on, if they were off.
  void Stop();

  // Adds own_cost_... to the counters, from what it saw and what they say about launches and records.
  // `sampling_share`: of a thread's CPU time, in samples (SparseSamples).
  void Describe(double sampling_share, std::map<std::string, int64_t>& quality) const;

 private:
  QuietWindows::Look LookAt(const ProcessTable& processes) const;
  void SetQuiet(bool quiet);
  void SetHold();

  const bool wanted_;
  Session& session_;
  PerfEvents& events_;
  QuietWindows windows_;
  bool quiet_ = false;
};

}  // namespace gprofx
