// Finds the call that launched a piece of GPU work. Maps a correlation id to the thread, the stack
// and the time of the call.
//
// The correlation ids of a process grow by one with each CUDA call. The table is indexed by their
// low bits: it holds the latest launches and needs no search. A small table doubles before it loses
// any launch. From kMinEntries on, it doubles only if it would lose a launch that is younger than
// kRemember and whose work has no record yet. It grows up to kMaxEntries (24 MB); at that size it
// loses old launches. Launches from times in which GPU work is not recorded may be lost at once,
// because no record will ask for them. A launch stays in the table after its first record, because
// graph launches and large copies have many records. One thread. Times are HostNs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "core/base/held_bytes.h"
#include "core/model/ids.h"

namespace gprofx {

struct GpuLaunch {           // a CUDA call that puts work on a GPU
  uint32_t correlation = 0;  // identifies the work, per process; 0 = none
  ThreadId thread;
  NodeId node;      // the stack of the call
  HostNs time = 0;  // begin of the call
};

class LaunchTable {
 public:
  static constexpr size_t kFirstEntries = size_t{1} << 6, kMinEntries = size_t{1} << 12;
  static constexpr size_t kMaxEntries = size_t{1} << 20;
  static constexpr HostNs kRemember = 60'000'000'000;

  void Add(const GpuLaunch& launch);
  // Returns the launch with this correlation id; nullptr if it is unknown or was lost. Sets *first
  // to true if this is the first call for the launch.
  const GpuLaunch* Find(uint32_t correlation, bool* first = nullptr);

  // BeginUntraced and EndUntraced tell the table when GPU work is not recorded. Launches from that
  // time have no records.
  void BeginUntraced(HostNs begin) { untraced_since_ = begin; }
  void EndUntraced(HostNs end);

  size_t capacity() const { return entries_.size(); }
  size_t bytes() const { return HeldBytes(entries_) + HeldBytes(untraced_); }  // approximate
  // Number of launches that were lost before a record of their work arrived.
  int64_t forgotten() const { return forgotten_; }

 private:
  struct Times {
    HostNs begin, end;
  };

  size_t SlotOf(uint32_t correlation) const { return correlation & (entries_.size() - 1); }
  bool Untraced(HostNs time) const;
  void Grow();

  std::vector<GpuLaunch> entries_;
  std::vector<bool> seen_;  // by position in entries_: Find() has returned it
  int64_t forgotten_ = 0;
  std::deque<Times> untraced_;       // closed gaps of the last kRemember, in order
  HostNs untraced_since_ = kTraced;  // begin of the open gap; kTraced = no gap is open
  static constexpr HostNs kTraced = INT64_MAX;
};

}  // namespace gprofx
