// Estimates how much recording slowed the program, from counters and timings in the recording
// itself.
//
// Method: the cost of each part is a number of events times the mean cost of one. Handlers of CPU
// samples time themselves. The interrupts that start them are timed on the same machine while the
// program runs. One in a few launches is timed, in each of three states: CUPTI detached, CUPTI
// attached, and recording (samplers/cuda/levels/call_times.h). The cost of a launch is the
// difference between its mean and the mean of an unobserved launch. Standard errors are computed
// from batches. If launches were not timed, values measured from outside on H100 and H200 are used,
// with a wide error. The slowdown by colder caches cannot be timed. It is a factor on the timed
// cost; the factor and its error were derived from programs measured from outside. Errors are
// independent and add up as squares. Pure; one thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace gprofx {

struct Estimate {
  double value = 0, error = 0;  // `error` is one standard error
};

struct CostParts {
  double cpu_ns = 0;     // CPU time of all measured threads
  Estimate sampling_ns;  // part of cpu_ns: sample handlers, interrupts, start-up work of gprof-x
  // Not in cpu_ns: work of gprof-x at the begin and end of threads and programs.
  Estimate starting_ns;
  double launching_ns = 0;  // CPU time of launching threads from their first launch on
  struct Launches {
    double count = 0;
    Estimate extra_ns;  // how much longer a launch takes than an unobserved one
  };
  Launches hooked, joined, recorded;  // CUPTI detached, CUPTI attached, launch recorded
  // Error of the unobserved launch's time, if all three are compared with it.
  double bare_error_ns = 0;
  double fetch_ns = 0;  // time to attach and detach CUPTI, during which launching threads wait
};

// Computes the parts of the cost from `quality`, the counters of a recording.
CostParts CostPartsOf(const std::map<std::string, int64_t>& quality);

// Returns the parts as if all launches had been recorded. This is the cost at times when GPU work
// is recorded.
CostParts WhileRecording(const CostParts& parts);

// Returns how many ns longer a recorded launch takes than an unobserved one; 0 if it was not timed.
double TimedRecordNs(const std::map<std::string, int64_t>& quality);

struct OwnCost {
  double ratio = 1;          // recorded time / time without recording
  double low = 1, high = 1;  // limits of the 95 % interval; at least 1
};
OwnCost OwnCostOf(const CostParts& parts);

}  // namespace gprofx
