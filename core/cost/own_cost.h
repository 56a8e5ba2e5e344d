// What recording cost the program, from what the recording has counted and timed of itself.
//
// Method: each part is a number of events times what one takes. Handlers of CPU samples are timed
// where they run, the interrupts before them on this machine beside the program. Launches are timed
// at one in a few, with CUPTI away, in the process, and making records
// (samplers/cuda/levels/call_times.h): the differences of the means are what a launch costs, with
// the standard errors of batches of them. Where that was not timed, what was measured from outside
// on H100 and H200 stands for it, with a wide error. What a program finds colder in its caches
// afterwards cannot be timed: it is a factor on what was, with an error of its own, taken from
// programs that were measured from outside. Errors are independent and add up in squares. Pure; one
// thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace gprofx {

struct Estimate {
  double value = 0, error = 0;  // one standard error
};

struct CostParts {
  double cpu_ns = 0;        // of all threads that were measured
  Estimate sampling_ns;     // of that: handlers of samples, interrupts, our start-up
  Estimate starting_ns;     // as well: what threads and programs take to begin and end in
  double launching_ns = 0;  // CPU time of the threads that put work on a GPU; 0 = none does
  struct Launches {
    double count = 0;
    Estimate extra_ns;  // of one, over one that nobody hears of
  };
  Launches hooked, joined, recorded;  // CUPTI away; in the process; making records
  double bare_error_ns = 0;  // of the one that nobody hears of, if all three were timed by it
  double fetch_ns = 0;       // in which CUPTI came and left, while launching threads wait
};

// Of the counters of a recording (quality).
CostParts CostPartsOf(const std::map<std::string, int64_t>& quality);

// As if all launches had made records: so it was in the times of which there are any.
CostParts WhileRecording(const CostParts& parts);

// What a launch with records took more than one that nobody hears of, in nanoseconds; 0 = that was
// not timed.
double TimedRecordNs(const std::map<std::string, int64_t>& quality);

struct OwnCost {
  double ratio = 1;          // of the time that the same work takes
  double low = 1, high = 1;  // 95 % interval; never below 1
};
OwnCost OwnCostOf(const CostParts& parts);

}  // namespace gprofx
