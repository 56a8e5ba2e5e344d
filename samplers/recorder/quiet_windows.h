// When CPU samples pause for a moment, so that the recording learns what they cost.
//
// Method: three short windows of about equal length, in which the program's launches are counted:
// with samples, without, with (core/own_cost.h). They come at random times and are a small part of
// the run; they are longer where the program launches seldom. No count is lost: the time of a
// quiet window is in the weight of each thread's next sample. A triple is used only if the GPU
// side stayed at one level, because that costs, too; its schedules are asked to wait. Pure: times
// and counts come in as numbers. One thread. Times are HostNs.
#pragma once

#include <cstdint>
#include <optional>

#include "core/ids.h"
#include "core/own_cost.h"

namespace gprofx {

class QuietWindows {
 public:
  // What the targets are at.
  struct Look {
    HostNs now = 0;
    int64_t launches = 0;            // so far
    std::optional<uint32_t> level;   // of the GPU side of all processes; none: not one
  };

  explicit QuietWindows(uint64_t seed) : random_(seed) {}

  // When End is to be called next.
  HostNs next() const { return next_; }
  // The window is over, or the pause between two triples. Returns whether the next one is quiet.
  bool End(const Look& look);
  // The next window has begun: the samples are as End said.
  void Begin(const Look& look);
  // Samples ended otherwise: what was begun does not count.
  void Cancel(HostNs now);

  bool quiet() const { return window_ == kQuiet; }
  bool compares() const { return window_ != kPause; }  // a triple has begun
  PairedCost cost() const { return ratios_.Cost(); }
  int64_t quiet_ns() const { return quiet_ns_; }  // in all, of the run

 private:
  enum Window { kPause, kBefore, kQuiet, kAfter };

  double RateOf(const Look& end) const;  // of the window; 0 = cannot be used
  HostNs RandomNs(HostNs mean);
  HostNs Pause() const;
  void FitWindows(int64_t launches);  // to what one had

  uint64_t random_;
  Window window_ = kPause;
  HostNs next_ = kFirst;
  Look begin_;              // of the window
  HostNs asked_ = 0;        // how long it was to be
  double rates_[4] = {};    // of the triple, by Window
  PairedRatios ratios_;
  int64_t quiet_ns_ = 0;
  HostNs window_ns_ = kShortestWindow;  // mean length of one
  int64_t triples_ = 0;  // that are over, used or not

  static constexpr HostNs kFirst = 1'000'000'000, kShortestWindow = 60'000'000;
};

}  // namespace gprofx
