#include "core/findings/cures.h"

#include <algorithm>

#include "core/base/arithmetic.h"

namespace gprofx::findings {

LineReplay::LineReplay(const Profile& profile, const TimeLine& line)
    : begins_(line.calls.size(), kNoNode),
      launches_(line.calls.size(), kNoNode),
      ends_(line.calls.size(), kNoNode),
      op_nodes_(line.ops.size(), kNoNode),
      busy_ns_(line.busy_ns) {
  classes_ = line.classes.size();
  class_of_.reserve(line.calls.size());
  before_ns_.reserve(line.calls.size());
  for (const LineCall& call : line.calls) {
    class_of_.push_back(call.before_class);
    before_ns_.push_back(call.before_ns);
  }
  op_calls_.reserve(line.ops.size());
  for (const LineOp& op : line.ops) op_calls_.push_back(op.call);
  const auto count = static_cast<uint32_t>(line.calls.size());
  for (uint32_t from = 0, to = 0; from < count; from = to) {
    for (to = from + 1; to < count && !line.calls[to].first_of_segment;) ++to;
    Part& part = parts_.emplace_back();
    AddEvents(line, from, to, part);
    std::vector<uint32_t> calls;  // by position in part.events.calls: index in TimeLine::calls
    for (uint32_t i = from; i < to; ++i) {
      if (line.calls[i].TakesTime()) calls.push_back(i);
    }
    const LineCall& first = line.calls[from];
    const HostNs end = std::max(line.EndOfSegment(first.begin), line.calls[to - 1].begin + 1);
    part.graph.emplace(profile, part.events, ReplayWindow{line.process, {first.before_begin, end}});
    FindNodes(line, static_cast<uint32_t>(parts_.size() - 1), calls);
  }
  ReplayTimes room;
  base_ = Length(Unchanged(), room);
}

void LineReplay::AddEvents(const TimeLine& line, uint32_t from, uint32_t to, Part& part) {
  part.first_call = from;
  const ThreadId host = line.calls[from].thread;  // all threads count as one host, see time_line.h
  bool has_ops = false;
  for (uint32_t i = from; i < to; ++i) {
    const LineCall& call = line.calls[i];
    if (call.TakesTime()) {
      part.events.calls.push_back({call.begin, call.end, host, call.node, call.name,
                                   call.waits ? ReplayCall::kWaits : ReplayCall::kTakesTime});
    }
    if (call.ops > 0 && !has_ops) part.first_op = call.first_op;
    has_ops = has_ops || call.ops > 0;
    for (uint32_t k = call.first_op; k < call.first_op + call.ops; ++k) {
      const LineOp& op = line.ops[k];
      ReplayOperation row;
      row.launch = op.launch;
      row.start = op.start;
      row.end = op.end;
      row.thread = host;
      row.node = op.node;
      row.stream = GpuStreamId{op.stream + 1};
      row.bytes = op.bytes;
      row.kind = op.is_kernel ? ReplayOperation::kKernel
                 : op.is_copy ? ReplayOperation::kCopy
                              : ReplayOperation::kSet;
      row.copy = op.copy;
      part.events.operations.push_back(row);
    }
  }
}

void LineReplay::FindNodes(const TimeLine& line, uint32_t number,
                           const std::vector<uint32_t>& calls) {
  const Part& part = parts_[number];
  const std::vector<ReplayNode>& nodes = part.graph->nodes();
  const auto op_of = [&](const ReplayNode& node) { return part.first_op + node.event; };
  // Returns the index in TimeLine::calls of the call of a graph node. The graph also has calls for
  // copies that blocked their thread without a row in the recording; the index is then that of the
  // call that launched the copy.
  const auto call_of = [&](const ReplayNode& node) {
    if (node.event < calls.size()) return calls[node.event];
    const ReplayCall& made = part.graph->calls()[node.event];
    const auto first = line.calls.begin() + part.first_call;
    auto at = std::lower_bound(first, line.calls.end(), made.begin,
                               [](const LineCall& call, HostNs t) { return call.begin < t; });
    while (at->ops == 0) ++at;
    return static_cast<uint32_t>(at - line.calls.begin());
  };
  for (uint32_t i = 0; i < nodes.size(); ++i) {
    switch (nodes[i].kind) {
      case ReplayNode::kStep:
        break;
      case ReplayNode::kCallBegin:
        begins_[call_of(nodes[i])] = i;
        break;
      case ReplayNode::kCallEnd:
        ends_[call_of(nodes[i])] = i;
        break;
      case ReplayNode::kLaunch: {
        const uint32_t call = line.ops[op_of(nodes[i])].call;
        launches_[call] = i;
        if (begins_[call] == kNoNode) begins_[call] = i;
        break;
      }
      case ReplayNode::kOperation:
        op_nodes_[op_of(nodes[i])] = i;
        work_ns_ = AddSaturated(work_ns_, nodes[i].length);
        break;
    }
  }
}

// Returns models of a replay without changes. The recorded lags of calls are stored in them as
// numbers, because most cures change them.
LineReplay::Models LineReplay::Unchanged() const {
  Models models;
  models.reserve(parts_.size());
  for (const Part& part : parts_) {
    ReplayModel& model = models.emplace_back(part.graph->Unchanged());
    const std::vector<ReplayNode>& nodes = part.graph->nodes();
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (nodes[i].kind == ReplayNode::kOperation) continue;
      model.before[i] = nodes[i].lag[ReplayNode::kBefore];
    }
    model.cause.clear();  // empty = as recorded; few cures change it
  }
  return models;
}

ReplayModel& LineReplay::ModelOf(uint32_t call, Models& models) const {
  if (parts_.size() == 1) return models[0];
  const auto after =
      std::upper_bound(parts_.begin(), parts_.end(), call,
                       [](uint32_t at, const Part& part) { return at < part.first_call; });
  return models[static_cast<size_t>(after - parts_.begin()) - 1];
}

namespace {

void Shorten(int64_t& lag, int64_t by) { lag = std::max<int64_t>(SubtractSaturated(lag, by), 0); }

}  // namespace

// Removes fractions of host time by class. Visits all calls in order instead of the calls of one
// class after another, which are far apart in memory.
void LineReplay::TakeClasses(const Cure& cure, Models& models) const {
  if (cure.classes.empty()) return;
  std::vector<double> shares(classes_);
  for (const ClassShare& part : cure.classes) shares[part.of] += std::min(part.share, 1.0);
  for (size_t k = 0; k < parts_.size(); ++k) {
    const size_t end = k + 1 < parts_.size() ? parts_[k + 1].first_call : class_of_.size();
    for (size_t i = parts_[k].first_call; i < end; ++i) {
      const double share = shares[class_of_[i]];
      if (share <= 0 || begins_[i] == kNoNode) continue;
      Shorten(models[k].before[begins_[i]],
              static_cast<int64_t>(share * static_cast<double>(before_ns_[i])));
    }
  }
}

void LineReplay::TakeCallTime(const Cure& cure, Models& models) const {
  for (const Cure::Time& shorter : cure.shorter) {
    const uint32_t end = ends_[shorter.at];
    if (end == kNoNode) continue;
    ReplayModel& model = ModelOf(shorter.at, models);
    if (model.cause.empty()) {
      const size_t part = static_cast<size_t>(&model - models.data());
      for (const ReplayNode& node : parts_[part].graph->nodes()) {
        model.cause.push_back(node.lag[ReplayNode::kCause]);
      }
    }
    Shorten(model.before[end], shorter.ns);
    Shorten(model.cause[end], shorter.ns);
  }
}

void LineReplay::Apply(const Cure& cure, Models& models) const {
  TakeClasses(cure, models);
  for (const Cure::Time& host : cure.host) {
    const uint32_t begin = begins_[host.at];
    if (begin != kNoNode) Shorten(ModelOf(host.at, models).before[begin], host.ns);
  }
  for (const uint32_t at : cure.calls) {
    ReplayModel& model = ModelOf(at, models);
    if (launches_[at] != kNoNode) model.Cut(launches_[at], ReplayNode::kOther);
    if (ends_[at] == kNoNode) continue;
    model.Cut(ends_[at], ReplayNode::kCause);
    model.before[ends_[at]] = 0;
  }
  TakeCallTime(cure, models);
  for (const Cure::Time& op : cure.ops) {
    const uint32_t node = op_nodes_[op.at];
    if (node == kNoNode) continue;
    ReplayModel& model = ModelOf(op_calls_[op.at], models);
    model.length[node] = std::min(model.length[node], std::max<int64_t>(op.ns, 0));
    if (op.ns >= 0) continue;
    model.before[node] = 0;
    model.Cut(node, ReplayNode::kCause);
    model.Cut(node, ReplayNode::kOther);
  }
}

int64_t LineReplay::Length(const Models& models, ReplayTimes& room) const {
  int64_t length = 0, work = 0;
  for (size_t i = 0; i < parts_.size(); ++i) {
    const ReplayGraph& graph = *parts_[i].graph;
    graph.Replay(models[i], room);
    const uint32_t first = graph.bounds().front(), last = graph.bounds().back();
    HostNs end = room.begin[first];
    for (uint32_t k = 0; k < room.begin.size(); ++k) {
      work = AddSaturated(work, models[i].length[k]);
      // The end of the segment, which is `last`, does not count: host time after the last call may
      // be a wait that was not recorded.
      if (k != last) end = std::max(end, AddSaturated(room.begin[k], models[i].length[k]));
    }
    length = AddSaturated(length, SubtractSaturated(end, room.begin[first]));
  }
  // In a replay, streams may overlap more than they really can, for reasons that are not recorded.
  // The saving is therefore limited to the idle time of the GPU plus the removed work.
  return std::max(length, busy_ns_ - (work_ns_ - work));
}

}  // namespace gprofx::findings
