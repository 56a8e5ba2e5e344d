// Finds where spans of a backward pass are placed in the call tree: below a marker
// (core/events/backward_marker.h) and the modules and the operator of their forward pass.
//
// Only traces with modules need this: without modules, the path of the forward pass says no more
// than the name of the backward span. Forward spans must be placed before the backward spans that
// belong to them, so threads without backward spans come first. The work is bounded: once the paths
// have cost too many frames, backward spans stay where they are and are counted. Pure; one thread;
// the profile must outlive the object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "core/model/profile.h"
#include "formats/importers/forward_join.h"
#include "formats/importers/host_tree.h"

namespace gprofx::importers {

class BackwardPaths {
 public:
  explicit BackwardPaths(Profile& profile) : profile_(profile) {}

  // Call it first, with the spans of all threads.
  void Join(const std::vector<SpanStore>& spans);
  // Returns the order in which to place the threads of `spans`.
  std::vector<size_t> ThreadOrder(const std::vector<SpanStore>& spans) const;

  void BeginThread() { last_ = {}; }
  // Returns the node below which to place a span: `caller`, or a node below it with the path of the
  // forward pass.
  NodeId CallerOf(ThreadId thread, const HostSpan& span, NodeId caller);
  // Records that `span` was placed at `node`. Call it for each placed span.
  void Add(ThreadId thread, const HostSpan& span, NodeId node);

  // Returns the number of backward spans that stayed where they were, because the work is bounded.
  int64_t without_path() const { return without_path_; }

 private:
  bool IsModule(FrameId frame) const;
  bool HasModules() const;
  // Returns the frames of the operator at `forward` and of the modules above it, innermost first.
  // Empty if there are no modules.
  std::vector<FrameId> PathOf(NodeId forward);

  Profile& profile_;
  std::optional<ForwardJoin> forward_;
  std::map<SpanKey, NodeId> nodes_;  // by forward operator: its node
  HostSpan last_;                    // the last backward span placed below its operator
  FrameId marker_;
  size_t budget_ = 0;
  int64_t without_path_ = 0;
};

}  // namespace gprofx::importers
