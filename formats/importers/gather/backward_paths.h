// Places spans of a backward pass below a marker and the modules and the operator of their forward
// pass (core/events/backward_marker.h).
//
// Only traces with modules need it: without them, the path of the forward pass adds nothing to the
// name of the backward span. Forward spans must be placed before the backward spans that belong to
// them, so threads without backward spans come first. Work is bounded: once the paths have cost
// too many frames, backward spans stay where they are, and are counted. Pure; one thread; the
// profile must outlive the object.
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

  // `spans` of all threads. Call first.
  void Join(const std::vector<SpanStore>& spans);
  // The order in which to place the threads of `spans`.
  std::vector<size_t> ThreadOrder(const std::vector<SpanStore>& spans) const;

  void BeginThread() { last_ = {}; }
  // Returns the node to place a span under: `caller`, or the path of the forward pass below it.
  NodeId CallerOf(ThreadId thread, const HostSpan& span, NodeId caller);
  // A span was placed at `node`.
  void Add(ThreadId thread, const HostSpan& span, NodeId node);

  int64_t without_path() const { return without_path_; }  // spans that found no budget

 private:
  bool IsModule(FrameId frame) const;
  bool HasModules() const;
  // The operator and the modules above it, innermost first; empty without modules.
  std::vector<FrameId> PathOf(NodeId forward);

  Profile& profile_;
  std::optional<ForwardJoin> forward_;
  std::map<SpanKey, NodeId> nodes_;  // of forward operators
  HostSpan last_;                    // the last backward span placed below its operator
  FrameId marker_;
  size_t budget_ = 0;
  int64_t without_path_ = 0;
};

}  // namespace gprofx::importers
