// Builds a ReplayGraph: puts its nodes in order and adds their dependencies. Used inside
// core/replay only.
#pragma once

#include <tuple>
#include <vector>

#include "core/replay/ended_work.h"
#include "core/replay/graph.h"
#include "core/replay/window_events.h"

namespace gprofx {

class ReplayBuilder {
 public:
  ReplayBuilder(const Profile& profile, const ReplayWindow& window, ReplayGraph& graph);
  void Build();

 private:
  struct Place {  // position of a node in the order
    HostNs time = 0;
    uint32_t event = 0;
    ReplayNode::Kind kind = ReplayNode::kStep;
    // True for the end of a call that took time. It sorts before begins at the same time.
    bool has_length = false;
    bool operator<(const Place& other) const {
      return std::tie(time, other.has_length, kind, event) <
             std::tie(other.time, has_length, other.kind, other.event);
    }
  };
  struct StreamState {
    uint32_t last = kNoNode;  // latest node of the stream
    HostNs key = kEarliest;
    uint32_t launch = kNoNode;          // launch of the latest operation
    std::vector<uint32_t> of_launches;  // last node of each launch
  };
  struct ThreadState {
    uint32_t last = kNoNode;    // latest node of the thread
    uint32_t launch = kNoNode;  // latest launch
  };

  void Order();
  void Connect();
  void Connect(const Place& place);
  uint32_t StepOf(const ReplayOperation& operation) const;
  void Moment(uint32_t thread, uint32_t own, ReplayNode& node);
  void Launch(const ReplayOperation& first, uint32_t own, ReplayNode& node);
  void Operate(const ReplayOperation& operation, uint32_t own, ReplayNode& node);
  void EndWait(const ReplayCall& call, ReplayNode& node);
  uint32_t WaitedFor(const ReplayCall& call);
  uint32_t KeptBy(const ReplayCall& call);
  uint32_t TailOf(GpuStreamId stream, HostNs launched) const;
  void ShareWait(ReplayNode& node);

  HostNs EndOf(uint32_t node) const { return EndOf(graph_.nodes_[node]); }
  static HostNs EndOf(const ReplayNode& node) { return node.begin + node.length; }
  const ReplayOperation& Operation(uint32_t node) const {
    return operations_[graph_.nodes_[node].event];
  }
  HostNs LaunchOf(uint32_t node) const { return Operation(node).launch; }

  const ReplayWindow& window_;
  ReplayGraph& graph_;
  const std::vector<ReplayOperation>& operations_;
  WindowEvents events_;
  std::vector<Place> host_, gpu_;       // nodes of host and GPU, sorted
  std::vector<StreamState> streams_;    // by id
  std::vector<ThreadState> threads_;    // by id
  std::vector<uint32_t> launch_nodes_;  // by first operation of a launch: the node of the launch
  // By node of a launch: its latest operation that has begun.
  std::vector<uint32_t> last_of_launch_;
  EndedWork ended_;
};

}  // namespace gprofx
