// Estimates what recording cost the program, from the recording's own counters and timings.
//
// Method: each part is a number of events times the cost of one. Handlers of CPU samples are timed
// where they run; the interrupts before them are timed on this machine, beside the program. One in
// a few launches is timed, in each of three states: CUPTI detached, CUPTI attached, and recording
// (samplers/cuda/levels/call_times.h). The differences of the means are the cost of a launch, with
// standard errors computed from batches. If launches were not timed, values measured from outside
// on H100 and H200 are used, with a wide error. The cost of colder caches cannot be timed: it is a
// factor on the timed cost, with its own error, derived from programs measured from outside. Errors
// are independent and add up in squares. Pure; one thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace gprofx {

struct Estimate {
  double value = 0, error = 0;  // one standard error
};

struct CostParts {
  double cpu_ns = 0;        // of all measured threads
  Estimate sampling_ns;     // share of cpu_ns: sample handlers, interrupts, our start-up
  Estimate starting_ns;     // in addition: our work at begin and end of threads and programs
  double launching_ns = 0;  // CPU time of launching threads from their first launch on
  struct Launches {
    double count = 0;
    Estimate extra_ns;  // of one launch, compared to an unobserved one
  };
  Launches hooked, joined, recorded;  // CUPTI detached; attached; recording
  double bare_error_ns = 0;           // of the unobserved launch, if all three are compared to it
  double fetch_ns = 0;                // to attach and detach CUPTI, while launching threads wait
};

// Computes the parts of the cost from the counters of a recording, `quality`.
CostParts CostPartsOf(const std::map<std::string, int64_t>& quality);

// Returns `parts` as they would be if all launches had been recorded. This describes the times in
// which GPU work was recorded.
CostParts WhileRecording(const CostParts& parts);

// Returns the extra cost of a recorded launch over an unobserved one, ns; 0 = not timed.
double TimedRecordNs(const std::map<std::string, int64_t>& quality);

struct OwnCost {
  double ratio = 1;          // recorded time / time without recording
  double low = 1, high = 1;  // 95 % interval; never below 1
};
OwnCost OwnCostOf(const CostParts& parts);

}  // namespace gprofx
