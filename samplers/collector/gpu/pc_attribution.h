// Attributes PC samples of a GPU to the call paths whose kernels ran. A PC sample itself has no
// call path.
//
// A window is one result of the sampling interface: samples that were taken (nearly all) in [begin,
// end), counted by function, instruction and stall reason. For each function of a window, the
// executions of its kernel that overlap the window give the paths. The weight of a path is overlap
// * warps on the device. If no execution overlaps the window, these are tried in turn:
//  1. executions within kSlack before the window, because the driver decodes late,
//  2. the latest path of the function (kFunctionOnly),
//  3. no path (kNone, node 0).
// Shares are rounded to whole samples by the largest remainder method: the parts of each count add
// up to the count. Each path's remainder is carried over to the next count, so many small counts
// are still split in proportion.
//
// Kernels are reported after they ended, in other buffers than samples. A window therefore waits
// until a later kernel was seen (kSettle after its end), at most kPatience. Pure. Memory is
// limited: executions are kept for kKeep and merged with neighbours of the same path, and the
// waiting windows have at most kMaxWaiting counts in total. Times are HostNs. One thread.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/held_bytes.h"
#include "core/events/events.h"
#include "core/model/ids.h"

namespace gprofx {

// Identifies a function of a process in a CUDA context; 0 = unknown.
using PcFunctionKey = uint64_t;

struct PcPath {
  NodeId node;  // the kernel's node; 0 = none
  ThreadId thread;
  auto operator<=>(const PcPath&) const = default;
};

struct PcCount {  // the samples with one stall reason at one instruction
  PcFunctionKey key = 0;
  CubinId cubin;  // the caller defines the meaning of this and of function, offset and stall
  FunctionId function;
  uint64_t offset = 0;
  uint32_t stall = 0;
  uint64_t samples = 0;  // all samples, including those that count as latency
  uint64_t latency = 0;  // latency samples, at most `samples`
};

class PcAttribution {
 public:
  static constexpr HostNs kSlack = 100'000'000, kSettle = 200'000'000, kPatience = 3'000'000'000;
  static constexpr HostNs kKeep = 10'000'000'000;
  static constexpr HostNs kMergeGap = 200'000, kMergeSpan = 5'000'000;
  static constexpr size_t kMaxWaiting = 1'000'000, kMaxExecutions = 2'000'000;
  static constexpr size_t kMaxFunctions = 100'000;
  // Maximum number of executions that one call of Advance or Finish examines. After that, a
  // function's samples go to its latest path.
  static constexpr int64_t kMaxLooks = 10'000'000;

  // Receives one part of a count, which belongs to `path`. The parts of a count add up to it.
  using Sink = std::function<void(const PcCount& part, const PcPath& path, PcConfidence)>;

  void AddKernel(PcFunctionKey key, HostNs start, HostNs end, PcPath path, uint64_t warps);
  // Starts a window. Counts that are added from now on belong to it.
  void BeginWindow(HostNs begin, HostNs end, HostNs now);
  void AddCount(const PcCount& count);

  // Attributes the samples of windows for which all kernels are known by now.
  void Advance(HostNs now, const Sink& sink);
  void Finish(const Sink& sink);
  size_t bytes() const {  // approximate
    return HeldBytes(functions_) + executions_ * sizeof(Execution) + waiting_ * sizeof(PcCount);
  }

 private:
  struct Execution {
    HostNs start = 0, end = 0;
    PcPath path;
    double weight = 0;  // warps * ns, summed over the merged executions
  };
  struct Function {
    // In order of arrival, which is nearly the order of their ends.
    std::deque<Execution> executions;
    HostNs longest = 0;
    PcPath latest;
    std::map<PcPath, double> carry;
  };
  struct Window {
    HostNs begin = 0, end = 0, arrived = 0;
    std::vector<PcCount> counts;
  };
  struct Share {
    PcPath path;
    double weight = 0;  // relative to the other shares
    double* carry = nullptr;
  };
  struct Split {
    std::vector<Share> shares;
    PcConfidence confidence = PcConfidence::kNone;
  };

  void WorkOff(const Window& window, const Sink& sink);
  Split SplitFor(PcFunctionKey key, HostNs begin, HostNs end);
  void Forget(HostNs before);

  std::unordered_map<PcFunctionKey, Function> functions_;
  std::deque<Window> windows_;
  size_t waiting_ = 0, executions_ = 0;  // waiting_ counts windows and the counts in them
  int64_t looks_left_ = 0;
  HostNs latest_kernel_ = 0;
  HostNs forgotten_until_ = 0;
};

// Splits `total` into parts that are proportional to `weights` (each >= 0, some > 0), by the
// largest remainder method. The parts add up to `total`. `carry` has one entry per weight and is
// updated: what earlier calls owe to that part (positive) or gave it in excess (negative).
std::vector<uint64_t> SplitCount(uint64_t total, const std::vector<double>& weights,
                                 const std::vector<double*>& carry);

}  // namespace gprofx
