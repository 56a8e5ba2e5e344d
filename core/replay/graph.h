// What waited for what in a part of a recording, and when everything would have begun if some of it
// had taken another time.
//
// Nodes are moments of host threads (a launch, begin and end of a call, a step's begin) and
// operations of GPUs. Each begins when the last of what it depends on has ended, and a lag after
// it:
//   a moment of a thread      the moment before, by the CPU time between them
//   an operation              its launch; the operation before it on its stream
//   the end of a waiting call the operation that was waited for
//   a launch                  the operation 1,024 launches before on the stream: so many are queued
// A blocking copy of pageable memory ends its call. Threads of a process that take turns, as the
// main thread and the one of autograd do, are one. Of two streams it is told by time that one waits
// for the other: an operation that begins within kHandOver after the end of one on another stream,
// later than its own stream and launch explain, waited for it.
//
// Lags are those of the recording, on the dependency that was the last one; on the others what is
// usual in this recording, and at most what was seen. So the replay of what was recorded gives each
// begin as it was recorded, to the nanosecond. Method: that of Daydream (ATC 2020) and of HTA's
// critical path, with the times of the host kept.
//
// Not modelled: memory bandwidth that concurrent kernels share, ranks that wait for each other
// within a collective (its time stays as recorded), full queues of the recording itself.
// Pure; const members may be used by several threads at once. Building is O(n log n), a replay
// O(n): a million kernels take well below a second.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/events/replay_events.h"
#include "core/model/profile.h"

namespace gprofx {

inline constexpr uint32_t kNoNode = UINT32_MAX;

struct ReplayNode {
  enum Kind : uint8_t { kStep, kCallBegin, kLaunch, kOperation, kCallEnd };
  enum Edge : uint8_t { kBefore, kCause, kOther, kEdges };
  Kind kind = kStep;
  HostNs begin = 0;    // as recorded
  int64_t length = 0;  // of an operation, as recorded
  // Position of an operation (of a launch: its first) in ReplayEvents, or of a call in
  // ReplayGraph::calls()
  uint32_t event = 0;
  uint32_t from[kEdges] = {kNoNode, kNoNode, kNoNode};
  int64_t lag[kEdges] = {};
};

// What is different from the recording. Empty vectors: nothing of that kind. Lags below 0 are as
// recorded.
struct ReplayModel {
  double host_factor = 1;        // of the CPU time between two moments of a thread
  std::vector<int64_t> length;   // by node: of operations, ns
  std::vector<int64_t> before;   // by node: CPU time before it; of an operation behind its stream
  std::vector<int64_t> cause;    // by node: behind the launch; of a call behind what it waited for
  std::vector<uint8_t> without;  // by node: bits 1 << Edge of dependencies that are gone

  // The dependencies of a node are gone.
  void Cut(uint32_t node, ReplayNode::Edge edge) {
    without[node] = static_cast<uint8_t>(without[node] | 1 << edge);
  }
};

struct ReplayTimes {
  std::vector<HostNs> begin;  // by node
  std::vector<uint8_t> last;  // by node: the Edge that it waited for; kEdges = none
};

class ReplayGraph {
 public:
  // The events must outlive the graph.
  ReplayGraph(const Profile& profile, const ReplayEvents& events, const ReplayWindow& window);

  const std::vector<ReplayNode>& nodes() const { return nodes_; }  // what is waited for comes first
  const ReplayEvents& events() const { return events_; }
  // Those in which the host waited, and copies that kept it; those of the events come first, in
  // their order.
  const std::vector<ReplayCall>& calls() const { return calls_; }
  // Of the window's process: the moments at which its steps begin, and the end of the last one.
  const std::vector<uint32_t>& bounds() const { return bounds_; }
  // Of an operation: the step of its launch, from 1; 0 = before all of them. Of others 0.
  uint32_t step_of(uint32_t node) const { return step_of_[node]; }
  // Usual here: from a launch to its work on an idle GPU, between two operations of a stream.
  int64_t launch_latency() const { return launch_latency_; }
  int64_t gap() const { return gap_; }
  // Edges between streams, which are not recorded but told by time.
  int64_t guessed_edges() const { return guessed_edges_; }

  // A model in which nothing is changed yet, with a number for each node.
  ReplayModel Unchanged() const;
  ReplayTimes Replay(const ReplayModel& model) const;
  void Replay(const ReplayModel& model, ReplayTimes& times) const;  // in memory that is there
  // When each step was done: the host has reached its end, and the GPU all that was launched until
  // then. One more than there are steps, the first is the begin.
  std::vector<HostNs> StepsDone(const ReplayModel& model, const ReplayTimes& times) const;

 private:
  friend class ReplayBuilder;

  const ReplayEvents& events_;
  std::vector<ReplayCall> calls_;
  std::vector<ReplayNode> nodes_;
  std::vector<uint32_t> bounds_;
  std::vector<uint32_t> step_of_;  // by node
  int64_t launch_latency_ = 0, gap_ = 0, guessed_edges_ = 0;
};

}  // namespace gprofx
