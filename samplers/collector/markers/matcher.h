// Matches the markers of one process: joins the begin and the end of each range.
//
// Pushed ranges nest per thread and domain. A record says how many ranges were open and what was
// lost before it, so a lost push or pop costs only its own range. A started range ends when any
// thread ends its number; it belongs to the thread that started it. The target may write anything,
// so values are limited: times by `now`, and the number of open ranges by kMaxOpen. One thread. The
// run and the profile must outlive it.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/held_bytes.h"
#include "core/model/profile.h"
#include "samplers/collector/markers/run.h"
#include "samplers/collector/markers/stream_reader.h"

namespace gprofx {

class MarkerMatcher {
 public:
  static constexpr size_t kMaxOpen = 100'000;

  MarkerMatcher(const Profile& profile, MarkerRun& run) : profile_(profile), run_(run) {}

  // Adds a thread of the process; `tid` is its id in the process's own PID namespace.
  void AddThread(int32_t tid, ThreadId thread) { threads_[tid].push_back(thread); }

  void Take(const MarkerRecord& record, HostNs now);
  // Called when the process has ended. A range that is still open then ends with its thread.
  void Finish(HostNs end);
  size_t bytes() const {  // approximate
    return HeldBytes(threads_) + HeldBytes(pushed_) + HeldBytes(started_) + open_ * sizeof(Range);
  }

 private:
  struct Range {
    bool known = false;  // false if the push of the range was lost
    HostNs start = 0;
    ThreadId thread;
    StringId name, domain;
  };
  using Stack = std::vector<Range>;

  ThreadId ThreadOf(int32_t tid, HostNs time) const;
  Range Begin(const MarkerRecord& record, ThreadId thread, HostNs time);
  void Push(Stack& stack, const MarkerRecord& record, const Range& range);
  void Pop(Stack& stack, const MarkerRecord& record, HostNs time);
  void Start(const MarkerRecord& record, const Range& range);
  void End(uint64_t number, HostNs time);
  void Cut(Stack& stack, size_t size);
  void Close(const Range& range, HostNs end);
  void CloseOpen(const Range& range, HostNs end);

  const Profile& profile_;
  MarkerRun& run_;
  // By thread id. Threads with the same id are in order of their start.
  std::unordered_map<int32_t, std::vector<ThreadId>> threads_;
  // Stacks of open pushed ranges, by thread and domain.
  std::map<std::pair<ThreadId, uint32_t>, Stack> pushed_;
  std::unordered_map<uint64_t, Range> started_;
  size_t open_ = 0;  // number of ranges in all stacks
};

}  // namespace gprofx
