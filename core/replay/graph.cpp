#include "core/replay/graph.h"

#include <algorithm>
#include <cmath>

#include "core/base/arithmetic.h"
#include "core/replay/builder.h"

namespace gprofx {

ReplayGraph::ReplayGraph(const Profile& profile, const ReplayEvents& events,
                         const ReplayWindow& window)
    : events_(events) {
  ReplayBuilder(profile, window, *this).Build();
}

ReplayTimes ReplayGraph::Replay(const ReplayModel& model) const {
  ReplayTimes times;
  Replay(model, times);
  return times;
}

void ReplayGraph::Replay(const ReplayModel& model, ReplayTimes& times) const {
  times.begin.resize(nodes_.size());
  times.last.assign(nodes_.size(), ReplayNode::kEdges);
  const auto length_of = [&](uint32_t i) {
    return model.length.empty() ? nodes_[i].length : model.length[i];
  };
  for (uint32_t i = 0; i < nodes_.size(); ++i) {
    const ReplayNode& node = nodes_[i];
    const uint8_t without = model.without.empty() ? 0 : model.without[i];
    HostNs begin = kEarliest;
    for (uint8_t edge = 0; edge < ReplayNode::kEdges; ++edge) {
      const uint32_t from = node.from[edge];
      if (from == kNoNode || (without >> edge & 1) != 0) continue;
      int64_t lag = node.lag[edge];
      if (edge == ReplayNode::kBefore) {
        if (!model.before.empty() && model.before[i] >= 0) lag = model.before[i];
        if (node.kind != ReplayNode::kOperation && model.host_factor != 1) {
          lag = std::llround(static_cast<double>(lag) * model.host_factor);
        }
      } else if (edge == ReplayNode::kCause && !model.cause.empty() && model.cause[i] >= 0) {
        lag = model.cause[i];
      }
      const HostNs ready = AddSaturated(AddSaturated(times.begin[from], length_of(from)), lag);
      if (ready <= begin && begin != kEarliest) continue;
      begin = ready;
      times.last[i] = edge;
    }
    times.begin[i] = begin == kEarliest ? node.begin : begin;
  }
}

std::vector<HostNs> ReplayGraph::StepsDone(const ReplayModel& model,
                                           const ReplayTimes& times) const {
  std::vector<HostNs> done(bounds_.size(), kEarliest);
  for (uint32_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].kind != ReplayNode::kOperation || step_of_[i] >= done.size()) continue;
    const int64_t length = model.length.empty() ? nodes_[i].length : model.length[i];
    HostNs& until = done[step_of_[i]];
    until = std::max(until, AddSaturated(times.begin[i], length));
  }
  HostNs latest = kEarliest;
  for (size_t i = 0; i < done.size(); ++i) {
    latest = std::max({latest, done[i], times.begin[bounds_[i]]});
    done[i] = latest;
  }
  return done;
}

ReplayModel ReplayGraph::Unchanged() const {
  ReplayModel model;
  model.length.reserve(nodes_.size());
  for (const ReplayNode& node : nodes_) model.length.push_back(node.length);
  model.before.assign(nodes_.size(), -1);
  model.cause.assign(nodes_.size(), -1);
  model.without.assign(nodes_.size(), 0);
  return model;
}

}  // namespace gprofx
