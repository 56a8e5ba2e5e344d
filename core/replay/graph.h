// Builds the dependency graph of a range of a recording and replays it. A replay computes when
// everything would have begun if some of it had taken a different time.
//
// Nodes are moments of host threads (a launch, begin and end of a call, begin of a step) and
// operations of GPUs. A node begins when all nodes that it depends on have ended and, after each, a
// time called lag has passed. The dependencies are:
//   a moment of a thread       the previous moment; the lag is the CPU time between them
//   an operation               its launch; the previous operation on its stream
//   the end of a waiting call  the operation that it waited for
//   a launch                   the operation 1,024 launches earlier on the stream (queue depth)
// A blocking copy of pageable memory ends its call. Threads of a process that take turns, such as
// the main thread and autograd's thread, count as one. Recordings do not contain waits between
// streams, so they are inferred from times. An operation is assumed to have waited for an operation
// on another stream if it began at most kHandOver after the end of that operation, and if its own
// stream and its launch do not explain such a late begin.
//
// The dependency that ended last keeps its recorded lag. The others get the typical lag of this
// recording, but at most their recorded one. The replay of an unchanged recording therefore
// reproduces each begin to the nanosecond. The method is that of Daydream (ATC 2020) and of HTA's
// critical path, but keeps the times of the host.
//
// Not modelled: memory bandwidth that concurrent kernels share; ranks that wait for each other
// within a collective (it takes its recorded time); full queues of the recorder. Pure; const
// members may be used by several threads at once. Building is O(n log n), a replay O(n): a million
// kernels take well below a second.
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
  int64_t length = 0;  // recorded duration of an operation, ns
  // What the node belongs to: the position of an operation in ReplayEvents::operations, the
  // position there of the first operation of a launch, or the position of a call in
  // ReplayGraph::calls().
  uint32_t event = 0;
  uint32_t from[kEdges] = {kNoNode, kNoNode, kNoNode};
  int64_t lag[kEdges] = {};
};

// The changes of a replay, compared with the recording. An empty vector changes nothing, and a
// negative lag means the recorded lag.
struct ReplayModel {
  double host_factor = 1;       // factor on the CPU time between two moments of a thread
  std::vector<int64_t> length;  // by node: duration of an operation, ns
  // By node: lag after the previous moment of the thread or, for an operation, after the previous
  // operation of its stream.
  std::vector<int64_t> before;
  // By node: lag after the launch or, for the end of a call, after the operation that it waited
  // for.
  std::vector<int64_t> cause;
  std::vector<uint8_t> without;  // by node: the removed dependencies, as bits 1 << Edge

  // Removes the dependency of `node` along `edge`.
  void Cut(uint32_t node, ReplayNode::Edge edge) {
    without[node] = static_cast<uint8_t>(without[node] | 1 << edge);
  }
};

struct ReplayTimes {
  std::vector<HostNs> begin;  // by node
  std::vector<uint8_t> last;  // by node: the Edge of the dependency that ended last; kEdges = none
};

class ReplayGraph {
 public:
  // Builds the graph of a window. The events must outlive the graph.
  ReplayGraph(const Profile& profile, const ReplayEvents& events, const ReplayWindow& window);

  // Returns the nodes; each comes after the nodes that it depends on.
  const std::vector<ReplayNode>& nodes() const { return nodes_; }
  const ReplayEvents& events() const { return events_; }
  // Returns the calls in which the host waited, then the copies that blocked it. The calls are
  // those of the events, in the same order.
  const std::vector<ReplayCall>& calls() const { return calls_; }
  // Returns the nodes at which the steps of the window's process begin, and the node at which the
  // last step ends.
  const std::vector<uint32_t>& bounds() const { return bounds_; }
  // Returns the step in which an operation was launched, from 1; 0 if before the first step.
  // Returns 0 for other nodes.
  uint32_t step_of(uint32_t node) const { return step_of_[node]; }
  // Return typical lags: launch_latency() between a launch and its work on an idle GPU, gap()
  // between two operations of a stream.
  int64_t launch_latency() const { return launch_latency_; }
  int64_t gap() const { return gap_; }
  // Returns the number of dependencies between streams. They are not recorded but inferred from
  // times.
  int64_t guessed_edges() const { return guessed_edges_; }

  // Returns a model that changes nothing. Each of its vectors has an entry for each node.
  ReplayModel Unchanged() const;
  ReplayTimes Replay(const ReplayModel& model) const;
  void Replay(const ReplayModel& model, ReplayTimes& times) const;  // reuses the memory of `times`
  // Returns when each step was done: the host had reached the end of the step, and the GPU had
  // finished everything launched until then. There is one more entry than steps: the first entry is
  // the time at which the work launched before the first step was done.
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
