// Distributes CPU time that no sample covers: every thread's CPU clock is accounted for to the
// nanosecond.
//
// The weight of a sample is the advance of its thread's CPU clock since the previous sample. When a
// thread ends, the time since its last sample is left over. That time is called the rest.
//   - If the thread has samples, the rest is about a tick, plus or minus the difference between the
//     weights of perf samples and the clock. It goes to the latest samples in proportion to their
//     weights. Several samples share it, because a single one would be credited with the kernel
//     time of a whole tick.
//   - If the thread has no sample, it was too short to be hit by a tick. Threads of one program are
//     treated as if they ran one after the other on one clock. A sample then represents the time
//     since the previous sample of any of them. The short thread's time is therefore kept until
//     another thread of the program ends with a sample. It is then counted for the short thread, at
//     the last stack of the other one. On average this is right, because the share of a stack among
//     the samples is its share of the time. The sum is exact.
//   - If no thread of the program was ever hit, its time is counted as "[too short to be sampled]".
// One thread. Times are ns.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "core/model/profile.h"
#include "samplers/wire/records.h"

namespace gprofx {

// The time in which samples are taken: always, or only in this range (--delay, --duration).
struct RecordingWindow {
  HostNs begin = 0, end = INT64_MAX;
  bool Holds(HostNs time) const { return time >= begin && time < end; }
  HostNs Within(HostNs time) const;  // returns the time in the window that is nearest to `time`
  // Returns how much of `ns` falls into the window, if it was used at an even rate over [from, to).
  int64_t PartOf(int64_t ns, HostNs from, HostNs to) const;
};

// Returns the node for time without a stack: a frame named `what`, such as "[exec and loading]",
// below the root.
NodeId ProcessNode(Profile& profile, std::string_view what);
constexpr std::string_view kTooShort = "[too short to be sampled]";
// Used in wall-clock mode for a wait that was not sampled, because a signal might end its system
// call early.
constexpr std::string_view kUnseenWait = "[not sampled: in a system call]";
constexpr std::string_view kUringWorker = "[io_uring worker]";
constexpr std::string_view kNoTickCame = "[not sampled: no tick came]";
std::string_view UnseenName(wire::Unseen why);

// Maximum CPU time in ns for which a thread without samples counts as too short. More time without
// a sample has another cause.
constexpr int64_t kMaxTooShort = 4'000'000'000;

// Holds the latest samples of a thread.
class RecentSamples {
 public:
  void Add(NodeId node, int64_t weight);
  bool empty() const { return count_ == 0; }
  NodeId last() const { return samples_[(count_ - 1) % kMax].node; }
  // Sets the weights of the latest `newest` samples to 0. Called when all of their weight has been
  // taken back.
  void Empty(size_t newest);
  // Distributes `ns` over the samples in proportion to their weights. Each node occurs once in the
  // result. A negative amount takes weight away, at most what the samples weigh. Must not be called
  // if empty().
  std::vector<std::pair<NodeId, int64_t>> Spread(int64_t ns) const;

 private:
  static constexpr uint64_t kMax = 16;
  struct Sample {
    NodeId node;
    int64_t weight = 0;
  };
  std::array<Sample, kMax> samples_{};
  uint64_t count_ = 0;
};

// Groups threads that do the same kind of work. Threads of one program are in one group, except
// that main threads are separate from others, and fork children from fresh programs.
struct ThreadSort {
  StringId program;
  bool main = false, forked = false;
  auto operator<=>(const ThreadSort&) const = default;
};

class ShortThreads {
 public:
  struct Time {  // time to be counted at `node` for `thread`
    ThreadId thread;
    NodeId node;  // 0 if no stack is known
    int64_t ns = 0;
    HostNs end = 0;
  };
  void Wait(const ThreadSort& sort, ThreadId thread, int64_t ns, HostNs end);
  // Called when a thread has ended with samples, the last one at `node`. Returns the time of
  // earlier threads of this sort, which waited for a stack.
  std::vector<Time> Meet(const ThreadSort& sort, NodeId node);
  // Called when the recording has ended. Returns all time that still waits for a stack.
  std::vector<Time> Rest();

 private:
  struct Sort {
    NodeId last;  // last stack of the thread that ended last with samples
    std::vector<Time> waiting;
  };
  std::map<ThreadSort, Sort> sorts_;
};

}  // namespace gprofx
