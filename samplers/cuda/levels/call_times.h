// How long launches of kernels take the program's thread, by what is on: so the recording knows
// what it costs without comparing one moment of the program with another.
//
// One launch in a few that comes by way of ours (driver_hooks.h) is timed there, on its thread's
// clock, from before all that we and CUPTI do to after it. Method: batch means. The mean over some
// rounds of our thread is one observation; launches of one batch share the machine's speed of the
// moment, so batches are what a standard error is made of. What is longer than kLongestNs waited
// for something else, and does not count; nor does the program's warm-up, of which all is recorded.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace gprofx::cuda {

class CallTimes {
 public:
  enum Kind : uint32_t {
    kBare,      // the driver alone: CUPTI is away, and the time in our function is left out
    kHooked,    // with that
    kJoined,    // CUPTI is in the process, and tells of calls
    kRecorded,  // and makes records
    kKinds,
  };
  static constexpr int64_t kLongestNs = 50'000;

  // Any thread.
  void Add(Kind kind, int64_t ns);
  // Our own thread, 40 times a second: tells the counters. `counts`: launches of before are thrown
  // away else.
  void EndRound(bool counts);
  // What a launch with records takes more than one without CUPTI, in nanoseconds: the most that it
  // may be (two standard errors). 0 = not known yet. Our own thread.
  double MostOfRecords() const;

 private:
  struct alignas(64) Sum {
    std::atomic<uint64_t> ns{0}, calls{0};
  };
  struct Batches {
    double count = 0, sum = 0, squares = 0;
    double mean() const { return sum / count; }
    double squared_error() const;
  };
  void EndBatch(Kind kind);

  std::array<Sum, kKinds> now_;
  std::array<Batches, kKinds> batches_;
  std::array<int, kKinds> rounds_ = {};  // of the batch that goes on, with launches
};

}  // namespace gprofx::cuda
