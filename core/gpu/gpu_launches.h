// Which call put a piece of work on the GPU: correlation id -> thread, stack and time of the call.
//
// Correlation ids of a process grow by one with each CUDA call, so a table that is indexed by their
// low bits holds the latest ones without a search. It doubles when a launch would push out another
// whose work was not seen within kRemember, up to kMaxEntries (24 MB); beyond that old launches
// are forgotten. Launches from times without records make way at once: no work of them will come.
// A launch stays findable after its work was seen: graph launches and large copies have many
// records. One thread. Times are HostNs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "core/base/held_bytes.h"
#include "core/model/ids.h"

namespace gprofx {

struct GpuLaunch {           // a call that puts work on a GPU
  uint32_t correlation = 0;  // what the work is found by, counted in each process; 0 = none
  ThreadId thread;
  NodeId node;      // the stack of the call
  HostNs time = 0;  // its begin
};

class LaunchTable {
 public:
  static constexpr size_t kMinEntries = size_t{1} << 12, kMaxEntries = size_t{1} << 20;
  static constexpr HostNs kRemember = 60'000'000'000;

  void Add(const GpuLaunch& launch);
  // nullptr: unknown or forgotten. Marks it as seen; *first: it was not yet.
  const GpuLaunch* Find(uint32_t correlation, bool* first = nullptr);

  // No records are made from here on; of work that was launched in [begin, end) there are none.
  void BeginUntraced(HostNs begin) { untraced_since_ = begin; }
  void EndUntraced(HostNs end);

  size_t capacity() const { return entries_.size(); }
  size_t bytes() const { return HeldBytes(entries_) + HeldBytes(untraced_); }  // about
  int64_t forgotten() const { return forgotten_; }  // whose work had not been seen

 private:
  struct Times {
    HostNs begin, end;
  };

  size_t SlotOf(uint32_t correlation) const { return correlation & (entries_.size() - 1); }
  bool Untraced(HostNs time) const;
  void Grow();

  std::vector<GpuLaunch> entries_;
  std::vector<bool> seen_;  // of each entry: some work of it was seen
  int64_t forgotten_ = 0;
  std::deque<Times> untraced_;       // within kRemember, in order
  HostNs untraced_since_ = kTraced;  // open: to now
  static constexpr HostNs kTraced = INT64_MAX;
};

}  // namespace gprofx
