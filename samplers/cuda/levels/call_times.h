// Measures how long kernel launches take on the program's thread, depending on what is recorded.
// The recording thus knows its own cost without comparing one phase of the program with another.
//
// One in a few launches that pass through our hooks (driver_hooks.h) is timed on its own thread,
// from before to after all work of ours and of CUPTI. Method: batch means. The mean over some
// rounds of our thread (a batch) is one observation. Launches of one batch share the machine's
// current speed, so the standard error is computed from batches. Launches longer than kLongestNs
// waited for something else and are excluded. So is the program's warm-up, which is recorded
// completely.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace gprofx::cuda {

class CallTimes {
 public:
  enum Kind : uint32_t {
    kBare,      // the driver alone: CUPTI is away, and the time in our hook is left out
    kHooked,    // CUPTI is away, and the time in our hook is included
    kJoined,    // CUPTI is in the process and reports calls
    kRecorded,  // CUPTI is in the process, reports calls and makes records
    kKinds,
  };
  static constexpr int64_t kLongestNs = 50'000;

  // Adds the duration of a timed launch. Any thread.
  void Add(Kind kind, int64_t ns);
  // Ends batches that are complete and adds them to the counters. Called 40 times a second by our
  // own thread. If `counts` is false, discards the launches so far.
  void EndRound(bool counts);
  // Returns an upper bound (two standard errors above the mean) of the nanoseconds by which a
  // launch takes longer with records than without CUPTI; 0 = not known yet. For our own thread.
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
  std::array<int, kKinds> rounds_ = {};  // rounds of the current batch that had launches
};

}  // namespace gprofx::cuda
