#include "core/replay/builder.h"

#include <algorithm>

#include "core/base/arithmetic.h"

namespace gprofx {
namespace {

constexpr int64_t kCallCost = 2'000;   // ns, maximum duration of a call that waits for nothing
constexpr int64_t kLongCall = 20'000;  // ns; a longer call was blocked by something
// Maximum time (ns) from the end of GPU work to the return of the call that waited for it. A call
// that returns later did not wait for that work.
constexpr int64_t kLongestReturn = 100'000;
constexpr int64_t kClockJitter = 5'000;  // ns by which the clocks of GPU and host may differ
constexpr int64_t kHandOver = 5'000, kUnexplained = 1'000;
constexpr size_t kQueueDepth = 1'024;

// Returns the state of an id and grows the table if needed. Ids are rows of the profile, so a table
// for all of them fits in memory.
template <class State>
State& At(std::vector<State>& states, uint32_t id) {
  if (id >= states.size()) states.resize(id + 1);
  return states[id];
}

void Depend(ReplayNode& node, ReplayNode::Edge edge, uint32_t on, int64_t lag) {
  node.from[edge] = on;
  node.lag[edge] = lag;
}

}  // namespace

ReplayBuilder::ReplayBuilder(const Profile& profile, const ReplayWindow& window, ReplayGraph& graph)
    : window_(window),
      graph_(graph),
      operations_(graph.events_.operations),
      events_(ChooseEvents(profile, graph.events_, window)) {}

void ReplayBuilder::Build() {
  graph_.calls_ = std::move(events_.calls);
  const UsualLags usual = FindUsualLags(graph_.events_, events_.operations);
  graph_.launch_latency_ = usual.launch_latency;
  graph_.gap_ = usual.gap;
  Order();
  Connect();
}

void ReplayBuilder::Order() {
  host_.reserve(events_.launches.size() + 2 * graph_.calls_.size() + window_.bounds.size());
  for (const uint32_t i : events_.launches) {
    host_.push_back({operations_[i].launch, i, ReplayNode::kLaunch});
  }
  for (uint32_t i = 0; i < window_.bounds.size(); ++i) {
    host_.push_back({window_.bounds[i], i, ReplayNode::kStep});
  }
  for (uint32_t i = 0; i < graph_.calls_.size(); ++i) {
    const ReplayCall& call = graph_.calls_[i];
    host_.push_back({call.begin, i, ReplayNode::kCallBegin});
    host_.push_back({call.end, i, ReplayNode::kCallEnd, call.end > call.begin});
  }
  // The clocks of GPU and host differ slightly, and work may be recorded in another order than that
  // of its stream. Sort keys are therefore increased until each node comes after its dependencies.
  gpu_.reserve(events_.operations.size());
  for (const uint32_t i : events_.operations) {
    const ReplayOperation& operation = operations_[i];
    HostNs& key = At(streams_, operation.stream.value).key;
    key = std::max({key, operation.start, operation.launch});
    gpu_.push_back({key, i, ReplayNode::kOperation});
  }
  const auto others = std::is_sorted_until(host_.begin(), host_.end());  // launches are in order
  std::sort(others, host_.end());
  std::inplace_merge(host_.begin(), others, host_.end());
  if (!std::is_sorted(gpu_.begin(), gpu_.end())) std::sort(gpu_.begin(), gpu_.end());
}

void ReplayBuilder::Connect() {
  const size_t count = host_.size() + gpu_.size();
  graph_.nodes_.reserve(count);
  graph_.step_of_.reserve(count);
  last_of_launch_.assign(count, kNoNode);
  launch_nodes_.assign(operations_.size(), kNoNode);
  for (size_t h = 0, g = 0; h + g < count;) {
    const bool host = g == gpu_.size() || (h < host_.size() && !(gpu_[g] < host_[h]));
    Connect(host ? host_[h++] : gpu_[g++]);
  }
}

void ReplayBuilder::Connect(const Place& place) {
  const auto own = static_cast<uint32_t>(graph_.nodes_.size());
  ReplayNode node;
  node.kind = place.kind;
  node.event = place.event;
  uint32_t step = 0;
  switch (place.kind) {
    case ReplayNode::kStep:
      node.begin = place.time;
      Moment(events_.main, own, node);
      graph_.bounds_.push_back(own);
      break;
    case ReplayNode::kCallBegin:
    case ReplayNode::kCallEnd:
      node.begin = place.time;
      if (place.kind == ReplayNode::kCallEnd) EndWait(graph_.calls_[place.event], node);
      Moment(events_.TimelineOf(graph_.calls_[place.event].thread), own, node);
      if (place.kind == ReplayNode::kCallEnd) ShareWait(node);
      break;
    case ReplayNode::kLaunch:
      node.begin = place.time;
      Launch(operations_[place.event], own, node);
      break;
    case ReplayNode::kOperation:
      Operate(operations_[place.event], own, node);
      step = StepOf(operations_[place.event]);
      break;
  }
  graph_.nodes_.push_back(node);
  graph_.step_of_.push_back(step);
}

uint32_t ReplayBuilder::StepOf(const ReplayOperation& operation) const {
  const HostNs time = operation.launch != 0 ? operation.launch : operation.start;
  const auto& bounds = window_.bounds;
  return static_cast<uint32_t>(std::upper_bound(bounds.begin(), bounds.end(), time) -
                               bounds.begin());
}

void ReplayBuilder::Moment(uint32_t thread, uint32_t own, ReplayNode& node) {
  uint32_t& last = At(threads_, thread).last;
  if (last != kNoNode) {
    Depend(node, ReplayNode::kBefore, last, node.begin - graph_.nodes_[last].begin);
  }
  last = own;
}

void ReplayBuilder::Launch(const ReplayOperation& first, uint32_t own, ReplayNode& node) {
  Moment(events_.TimelineOf(first.thread), own, node);
  At(threads_, first.thread.value).launch = own;
  launch_nodes_[node.event] = own;
  const std::vector<uint32_t>& queue = At(streams_, first.stream.value).of_launches;
  if (queue.size() < kQueueDepth) return;
  // Launches whose work has not begun are not in `queue` yet. The element found here was therefore
  // launched at least kQueueDepth launches earlier on the stream.
  const uint32_t oldest = queue[queue.size() - kQueueDepth];
  if (EndOf(oldest) <= node.begin) Depend(node, ReplayNode::kOther, oldest, 0);
}

void ReplayBuilder::Operate(const ReplayOperation& operation, uint32_t own, ReplayNode& node) {
  node.begin = operation.start;
  node.length = operation.end - operation.start;
  StreamState& stream = At(streams_, operation.stream.value);
  ended_.Until(operation.start);
  const uint32_t first = events_.launch_of[node.event];
  const uint32_t launch = first == kNoNode ? kNoNode : launch_nodes_[first];
  int64_t lag[2] = {}, least[2] = {};
  HostNs by[2] = {kEarliest, kEarliest};
  if (stream.last != kNoNode) {
    lag[0] = node.begin - EndOf(stream.last);
    least[0] = std::min(lag[0], graph_.gap_);
    by[0] = EndOf(stream.last) + least[0];
  }
  if (launch != kNoNode) {
    lag[1] = node.begin - graph_.nodes_[launch].begin;
    least[1] = std::min(lag[1], graph_.launch_latency_);
    by[1] = graph_.nodes_[launch].begin + least[1];
  }
  const HostNs explained = std::max(by[0], by[1]);
  const uint32_t other = ended_.OnOther(operation.stream);
  const bool handed = explained != kEarliest && node.begin - explained > kUnexplained &&
                      other != kNoNode && node.begin - EndOf(other) <= kHandOver;
  if (handed) {
    Depend(node, ReplayNode::kOther, other, node.begin - EndOf(other));
    ++graph_.guessed_edges_;
  }
  // The dependency that ended last keeps its recorded lag. The other one gets the typical lag, but
  // at most its recorded one.
  const int last = by[1] > by[0] ? 1 : 0;
  if (stream.last != kNoNode) {
    Depend(node, ReplayNode::kBefore, stream.last, last == 0 && !handed ? lag[0] : least[0]);
  }
  if (launch != kNoNode) {
    Depend(node, ReplayNode::kCause, launch, last == 1 && !handed ? lag[1] : least[1]);
  }
  if (launch == kNoNode || launch != stream.launch) {
    stream.of_launches.push_back(own);
  } else {
    stream.of_launches.back() = own;
  }
  stream.launch = launch;
  stream.last = own;
  if (launch != kNoNode) last_of_launch_[launch] = own;
  ended_.Begin({EndOf(node), own, operation.stream});
}

// Makes the end of a call depend on the operation that it waited for, if there is one. A waiting
// call waited for the first of these that ended before the call did:
//   - The work that the call launched itself.
//   - The last operation of the stream that its thread used last.
//   - The operation that ended last on any stream.
void ReplayBuilder::EndWait(const ReplayCall& call, ReplayNode& node) {
  const uint32_t cause = call.role == ReplayCall::kTakesTime ? KeptBy(call) : WaitedFor(call);
  if (cause != kNoNode) Depend(node, ReplayNode::kCause, cause, call.end - EndOf(cause));
}

uint32_t ReplayBuilder::WaitedFor(const ReplayCall& call) {
  const HostNs until = AddSaturated(call.end, kClockJitter);
  const auto fits = [&](uint32_t operation) {
    return operation != kNoNode && EndOf(operation) <= until;
  };
  const uint32_t launch = At(threads_, call.thread.value).launch;
  if (launch != kNoNode) {
    const uint32_t own = last_of_launch_[launch];
    if (graph_.nodes_[launch].begin >= call.begin) {
      // A copy of pageable memory goes through a buffer in pieces. The last piece is copied after
      // the call has returned, so the copy may end later than the call.
      if (fits(own) || (own != kNoNode && IsPageable(Operation(own).copy))) return own;
    } else if (fits(own)) {
      const uint32_t tail = TailOf(Operation(own).stream, call.begin);
      return fits(tail) ? tail : own;
    }
  }
  ended_.Until(call.end);
  return ended_.First(
      [&](const EndedWork::Work& work) { return LaunchOf(work.node) <= call.begin; });
}

// Returns the operation that blocked a call which does not ask to wait, for example because a queue
// was full or memory was in use. It is the operation that ended last during the call. Returns
// kNoNode if the call is short or no operation ended.
uint32_t ReplayBuilder::KeptBy(const ReplayCall& call) {
  if (call.end - call.begin < kLongCall) return kNoNode;
  ended_.Until(call.end);
  return ended_.First([&](const EndedWork::Work& work) {
    return LaunchOf(work.node) < call.begin && work.end > call.begin;
  });
}

// Returns the last operation of a stream that was launched at `launched` or before. Checks only the
// latest 64 operations; returns kNoNode if none of them was.
uint32_t ReplayBuilder::TailOf(GpuStreamId stream, HostNs launched) const {
  constexpr int kMax = 64;
  uint32_t node = streams_[stream.value].last;
  for (int i = 0; i < kMax && node != kNoNode && LaunchOf(node) > launched; ++i) {
    node = graph_.nodes_[node].from[ReplayNode::kBefore];
  }
  return node != kNoNode && LaunchOf(node) > launched ? kNoNode : node;
}

// Divides the time of a call between the host and the operation that it waited for (the cause).
// There are three cases:
//   - The cause ended during the call, and the call returned within kLongestReturn: the host gets
//     at most kCallCost.
//   - The cause ended before the call began: the lag after the cause is at most kCallCost.
//   - Otherwise the call did not wait for the cause, and the dependency is removed.
void ReplayBuilder::ShareWait(ReplayNode& node) {
  const uint32_t cause = node.from[ReplayNode::kCause];
  if (cause == kNoNode) return;
  int64_t& before = node.lag[ReplayNode::kBefore];
  int64_t& after = node.lag[ReplayNode::kCause];
  const bool waited = node.from[ReplayNode::kBefore] == kNoNode ||
                      EndOf(cause) > graph_.nodes_[node.from[ReplayNode::kBefore]].begin;
  if (waited && after <= kLongestReturn) {
    before = std::min(before, kCallCost);
  } else if (!waited) {
    after = std::min(after, kCallCost);
  } else {
    node.from[ReplayNode::kCause] = kNoNode;
  }
}

}  // namespace gprofx
