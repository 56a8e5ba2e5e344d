// Measures how long kernel launches take on the program's thread, depending on what is on. The
// recording thus knows its own cost without comparing one phase of the program with another.
//
// One in a few launches that pass through our hooks (driver_hooks.h) is timed there, on its own
// thread, from before to after all work of ours and CUPTI's. Method: batch means. The mean over
// some rounds of our thread is one observation. Launches of one batch share the machine's current
// speed, so the standard error is computed from batches. Launches longer than kLongestNs waited for
// something else and are excluded, as is the program's warm-up, which is recorded completely.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace gprofx::cuda {

class CallTimes {
 public:
  enum Kind : uint32_t {
    kBare,      // the driver alone: CUPTI is away, the time in our function is left out
    kHooked,    // the driver alone, and the time in our function
    kJoined,    // CUPTI is in the process and reports calls
    kRecorded,  // CUPTI is in the process, reports calls and makes records
    kKinds,
  };
  static constexpr int64_t kLongestNs = 50'000;

  // Any thread.
  void Add(Kind kind, int64_t ns);
  // Our own thread, 40 times a second: ends batches and adds them to the counters. If `counts` is
  // false, discards the launches so far.
  void EndRound(bool counts);
  // Upper bound (two standard errors) of the nanoseconds that a launch takes more with records than
  // without CUPTI. 0 = not known yet. Our own thread.
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
  std::array<int, kKinds> rounds_ = {};  // rounds with launches in the current batch
};

}  // namespace gprofx::cuda
