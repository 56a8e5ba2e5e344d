#include "formats/importers/gather/backward_paths.h"

#include <algorithm>

#include "core/events/backward_marker.h"

namespace gprofx::importers {
namespace {

constexpr size_t kMaxFrames = 1000;  // maximum number of frames visited per path
// Maximum number of frames visited for all paths: kFrames, plus kFramesPerSpan for each backward
// span.
constexpr size_t kFramesPerSpan = 256, kFrames = 100'000;

}  // namespace

bool BackwardPaths::IsModule(FrameId id) const {
  const Frame& frame = profile_.frame(id);
  return frame.kind == FrameKind::kOperator && frame.function &&
         profile_.Text(profile_.function(frame.function).name).starts_with("nn.Module: ");
}

bool BackwardPaths::HasModules() const {
  for (uint32_t i = 1; i <= profile_.frames.size(); ++i) {
    if (IsModule(FrameId{i})) return true;
  }
  return false;
}

void BackwardPaths::Join(const std::vector<SpanStore>& spans) {
  if (!HasModules()) return;
  forward_.emplace(profile_);
  budget_ = kFrames;
  for (size_t i = 0; i < spans.size(); ++i) {
    const ThreadId thread{static_cast<uint32_t>(i + 1)};
    spans[i].ForEach([&](const HostSpan& span) {
      forward_->Add(thread, span);
      budget_ += span.is_backward ? kFramesPerSpan : 0;
    });
  }
  forward_->Finish();
  if (forward_->empty()) forward_.reset();
}

std::vector<size_t> BackwardPaths::ThreadOrder(const std::vector<SpanStore>& spans) const {
  std::vector<size_t> order(spans.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  if (!forward_) return order;
  std::stable_partition(order.begin(), order.end(),
                        [&](size_t i) { return !spans[i].has_backward(); });
  return order;
}

std::vector<FrameId> BackwardPaths::PathOf(NodeId forward) {
  std::vector<FrameId> path;
  bool has_module = false;
  size_t looked_at = 0;
  for (NodeId node = forward; looked_at < kMaxFrames && profile_.node(node).parent;
       node = profile_.node(node).parent, ++looked_at) {
    const FrameId frame = profile_.node(node).frame;
    const bool is_module = IsModule(frame);
    has_module = has_module || is_module;
    if (is_module || node == forward) path.push_back(frame);
  }
  budget_ -= std::min(budget_, looked_at);
  return has_module ? path : std::vector<FrameId>();
}

NodeId BackwardPaths::CallerOf(ThreadId thread, const HostSpan& span, NodeId caller) {
  if (!forward_ || !span.is_backward) return caller;
  const std::optional<SpanKey> forward = forward_->ForwardOf(thread, span);
  if (!forward) return caller;
  // The autograd engine's span and the node's own span within it have the same number. Only the
  // outer span is moved.
  const bool inside = span.sequence == last_.sequence && span.start >= last_.start &&
                      span.start < last_.start + last_.duration;
  const auto found = nodes_.find(*forward);
  if (inside || found == nodes_.end()) return caller;
  if (budget_ == 0) {
    ++without_path_;
    return caller;
  }
  const std::vector<FrameId> path = PathOf(found->second);
  if (path.empty()) return caller;
  last_ = span;
  if (!marker_) {
    Function function;
    function.name = profile_.Intern(kBackwardMarker);
    Frame frame;
    frame.kind = FrameKind::kMarker;
    frame.function = profile_.Intern(function);
    marker_ = profile_.Intern(frame);
  }
  caller = profile_.Child(caller, marker_);
  for (auto frame = path.rbegin(); frame != path.rend(); ++frame) {
    caller = profile_.Child(caller, *frame);
  }
  return caller;
}

void BackwardPaths::Add(ThreadId thread, const HostSpan& span, NodeId node) {
  if (forward_ && span.sequence >= 0 && !span.is_backward) {
    nodes_[{thread, span.start, span.duration}] = node;
  }
}

}  // namespace gprofx::importers
