// Dependency graph of a range of a recording. A replay computes when everything would have begun if
// some of it had taken a different time.
//
// Nodes are moments of host threads (a launch, begin and end of a call, a step's begin) and
// operations of GPUs. A node depends on other nodes, and begins when the last of them has ended and
// a time called lag has passed. The dependencies of:
//   a moment of a thread      the moment before; the lag is the CPU time between them
//   an operation              its launch; the operation before it on its stream
//   the end of a waiting call the operation that was waited for
//   a launch                  the operation 1,024 launches before on the stream: the queue's depth
// A blocking copy of pageable memory ends its call. Threads of a process that take turns, as the
// main thread and the one of autograd do, count as one. Waits between streams are not recorded but
// inferred from times. An operation is taken to have waited for one on another stream if it began
// within kHandOver after the end of the other one, and later than its own stream and launch
// explain.
//
// The dependency that ended last keeps the recorded lag. The others get the typical lag of this
// recording, but at most the observed one. The replay of an unchanged recording therefore
// reproduces each begin to the nanosecond. Method: that of Daydream (ATC 2020) and of HTA's
// critical path, with the times of the host kept.
//
// Not modelled: memory bandwidth that concurrent kernels share, ranks that wait for each other
// within a collective (the collective takes its recorded time), and full queues of the recorder.
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
  // Of an operation: its position in ReplayEvents::operations. Of a launch: the position of its
  // first operation there. Of a call: its position in ReplayGraph::calls().
  uint32_t event = 0;
  uint32_t from[kEdges] = {kNoNode, kNoNode, kNoNode};
  int64_t lag[kEdges] = {};
};

// Differences from the recording. An empty vector means no change of its kind; a negative lag means
// the recorded one.
struct ReplayModel {
  double host_factor = 1;       // factor of the CPU time between two moments of a thread
  std::vector<int64_t> length;  // by node: of operations, ns
  std::vector<int64_t> before;  // by node: CPU time before it; of an operation: after its stream
  std::vector<int64_t> cause;  // by node: lag after the launch; of a call: after what it waited for
  std::vector<uint8_t> without;  // by node: bits 1 << Edge of removed dependencies

  // Removes the dependency of a node along an edge.
  void Cut(uint32_t node, ReplayNode::Edge edge) {
    without[node] = static_cast<uint8_t>(without[node] | 1 << edge);
  }
};

struct ReplayTimes {
  std::vector<HostNs> begin;  // by node
  std::vector<uint8_t> last;  // by node: the Edge of the last dependency; kEdges = none
};

class ReplayGraph {
 public:
  // The events must outlive the graph.
  ReplayGraph(const Profile& profile, const ReplayEvents& events, const ReplayWindow& window);

  const std::vector<ReplayNode>& nodes() const { return nodes_; }  // dependencies come first
  const ReplayEvents& events() const { return events_; }
  // Calls in which the host waited, and copies that blocked it. Calls that come from the events
  // precede the copies, in the order of the events.
  const std::vector<ReplayCall>& calls() const { return calls_; }
  // The moments at which the steps of the window's process begin, and the end of the last one.
  const std::vector<uint32_t>& bounds() const { return bounds_; }
  // Step of an operation's launch, from 1; 0 = before all of them. 0 for other nodes.
  uint32_t step_of(uint32_t node) const { return step_of_[node]; }
  // Typical lags: from a launch to its work on an idle GPU, and between two operations of a stream.
  int64_t launch_latency() const { return launch_latency_; }
  int64_t gap() const { return gap_; }
  // Number of edges between streams, which are not recorded but inferred from times.
  int64_t guessed_edges() const { return guessed_edges_; }

  // Returns an unchanged model, with a number for each node.
  ReplayModel Unchanged() const;
  ReplayTimes Replay(const ReplayModel& model) const;
  void Replay(const ReplayModel& model, ReplayTimes& times) const;  // reuses the memory of `times`
  // Returns when each step was done. A step is done when the host has reached its end and the GPU
  // has finished everything launched until then. The first entry is when the work before the first
  // step was done, so there is one more entry than there are steps.
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
