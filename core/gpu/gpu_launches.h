// Finds the call that launched a piece of GPU work: correlation id -> thread, stack and time of the
// call.
//
// Correlation ids of a process grow by one with each CUDA call, so a table indexed by their low
// bits holds the latest launches without a search. A small table, of a process with few launches,
// doubles before any is replaced. From kMinEntries on, it doubles if a launch would replace
// another one that is younger than kRemember and whose work was not yet seen. It grows up to
// kMaxEntries (24 MB); at that size old launches are forgotten. Launches from times without records
// are replaced at once: their work has no records. A launch can still be found after its work was
// seen, because graph launches and large copies have many records. One thread. Times are HostNs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "core/base/held_bytes.h"
#include "core/model/ids.h"

namespace gprofx {

struct GpuLaunch {           // a call that puts work on a GPU
  uint32_t correlation = 0;  // identifies the work, per process; 0 = none
  ThreadId thread;
  NodeId node;      // the stack of the call
  HostNs time = 0;  // its begin
};

class LaunchTable {
 public:
  static constexpr size_t kFirstEntries = size_t{1} << 6, kMinEntries = size_t{1} << 12;
  static constexpr size_t kMaxEntries = size_t{1} << 20;
  static constexpr HostNs kRemember = 60'000'000'000;

  void Add(const GpuLaunch& launch);
  // Returns nullptr if the launch is unknown or forgotten. Marks the launch as seen, and sets
  // *first to true if it had not been seen before.
  const GpuLaunch* Find(uint32_t correlation, bool* first = nullptr);

  // Records of GPU work stop at `begin` and resume at `end`: work launched in between has none.
  void BeginUntraced(HostNs begin) { untraced_since_ = begin; }
  void EndUntraced(HostNs end);

  size_t capacity() const { return entries_.size(); }
  size_t bytes() const { return HeldBytes(entries_) + HeldBytes(untraced_); }  // approximate
  int64_t forgotten() const { return forgotten_; }  // launches whose work had not been seen

 private:
  struct Times {
    HostNs begin, end;
  };

  size_t SlotOf(uint32_t correlation) const { return correlation & (entries_.size() - 1); }
  bool Untraced(HostNs time) const;
  void Grow();

  std::vector<GpuLaunch> entries_;
  std::vector<bool> seen_;  // per entry: some of its work was seen
  int64_t forgotten_ = 0;
  std::deque<Times> untraced_;       // within kRemember, in order
  HostNs untraced_since_ = kTraced;  // the open gap
  static constexpr HostNs kTraced = INT64_MAX;
};

}  // namespace gprofx
