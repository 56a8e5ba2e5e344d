#include "core/replay/graph.h"

#include <algorithm>
#include <cmath>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/arithmetic.h"
#include "core/median.h"
#include "core/replay/threads.h"

namespace gprofx {
namespace {

constexpr int64_t kUsualLatency = 6'000, kUsualGap = 1'000;  // where the recording does not tell
constexpr int64_t kCallCost = 2'000;      // at most, of a call that waits for nothing
constexpr int64_t kLongestReturn = 100'000;  // later than this a wait did not end because of it
constexpr int64_t kClockJitter = 5'000;   // between the clocks of GPU and host
constexpr int64_t kHandOver = 5'000, kUnexplained = 1'000;
constexpr int64_t kQueued = 20'000;       // launched so long ago, an operation was in the queue
constexpr size_t kQueueDepth = 1'024;
constexpr int64_t kStagedAsync = 64 << 10;  // smaller copies to the device do not keep the host

int64_t Quantile(std::vector<int64_t>& values, double q, int64_t otherwise) {
  if (values.empty()) return otherwise;
  const auto at = values.begin() + static_cast<int64_t>(q * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

bool IsWait(const Profile& profile, NodeId node) {
  if (!node) return false;
  const FrameId frame = profile.node(node).frame;
  return frame && profile.frame(frame).kind == FrameKind::kCudaApi;
}

}  // namespace

// Puts the nodes in order, then each behind what it depends on.
class ReplayBuilder {
 public:
  ReplayBuilder(const Profile& profile, const ReplayWindow& window, ReplayGraph& graph)
      : profile_(profile), window_(window), graph_(graph), operations_(graph.events_.operations) {}

  void Build() {
    ChooseOperations();
    ChooseCalls();
    Order();
    Learn();
    Connect();
  }

 private:
  struct Place {  // where a node comes
    HostNs time = 0;
    ReplayNode::Kind kind = ReplayNode::kStep;
    uint32_t event = 0;
    bool operator<(const Place& other) const {
      return std::tie(time, kind, event) < std::tie(other.time, other.kind, other.event);
    }
  };
  struct Ended {
    HostNs end = 0;
    uint32_t node = kNoNode;
    bool operator<(const Ended& other) const { return end > other.end; }  // the first on top
  };
  struct StreamState {
    uint32_t last = kNoNode;            // node
    HostNs key = kEarliest;
    uint32_t launch = kNoNode;          // of the last operation
    std::vector<uint32_t> of_launches;  // last node of each launch
  };
  struct ThreadState {
    uint32_t last = kNoNode;    // moment
    uint32_t launch = kNoNode;  // the latest
  };

  // Ids are rows of the profile, so a table has room for them.
  template <class State>
  static State& At(std::vector<State>& states, uint32_t id) {
    if (id >= states.size()) states.resize(id + 1);
    return states[id];
  }

  HostNs begin() const { return window_.bounds.front(); }
  HostNs end() const { return window_.bounds.back(); }
  ProcessId ProcessOf(ThreadId thread) const {
    return thread ? profile_.thread(thread).process : ProcessId{};
  }
  bool IsInside(HostNs time) const { return time >= begin() && time < end(); }

  void ChooseOperations() {
    for (uint32_t i = 0; i < operations_.size(); ++i) {
      const ReplayOperation& operation = operations_[i];
      if (ProcessOf(operation.thread) != window_.process) continue;
      const bool launched = operation.launch != 0 && IsInside(operation.launch);
      if (launched || IsInside(operation.start)) chosen_.push_back(i);
      if (launched) launches_.push_back(i);
    }
    const auto by_start = [&](uint32_t a, uint32_t b) {
      return operations_[a].start < operations_[b].start;
    };
    if (!std::is_sorted(chosen_.begin(), chosen_.end(), by_start)) {
      std::stable_sort(chosen_.begin(), chosen_.end(), by_start);
    }
    // One launch may have put many operations on the GPU: a graph.
    const auto call = [&](uint32_t i) {
      return std::tuple(operations_[i].launch, operations_[i].thread.value);
    };
    const auto earlier = [&](uint32_t a, uint32_t b) { return call(a) < call(b); };
    if (!std::is_sorted(launches_.begin(), launches_.end(), earlier)) {
      std::stable_sort(launches_.begin(), launches_.end(), earlier);
    }
    launch_of_.assign(operations_.size(), kNoNode);
    size_t kept = 0;
    for (const uint32_t i : launches_) {
      if (kept == 0 || call(launches_[kept - 1]) != call(i)) launches_[kept++] = i;
      launch_of_[i] = launches_[kept - 1];
    }
    launches_.resize(kept);
    std::vector<ThreadMoment> moments;
    for (const uint32_t i : launches_) {
      moments.push_back({operations_[i].launch, operations_[i].thread});
    }
    joined_ = JoinThreads(profile_, moments);
    std::unordered_map<uint32_t, int64_t> counts;
    int64_t most = 0;
    for (const ThreadMoment& moment : moments) {
      const uint32_t thread = TimelineOf(moment.thread);
      const int64_t count = ++counts[thread];
      if (count > most) most = count, main_ = thread;
    }
  }

  uint32_t TimelineOf(ThreadId thread) const {
    const auto found = joined_.find(thread.value);
    return found == joined_.end() ? thread.value : found->second;
  }

  // Waiting calls, and calls of copies that kept their thread. Where the recording has no end of such
  // a call, it ended with its copy if the thread did nothing before.
  void ChooseCalls() {
    std::unordered_map<uint32_t, std::vector<std::pair<HostNs, HostNs>>> calls;  // by thread
    std::unordered_map<uint32_t, std::vector<HostNs>> moments;
    for (const uint32_t i : launches_) {
      moments[operations_[i].thread.value].push_back(operations_[i].launch);
    }
    for (const ReplayCall& call : graph_.events_.calls) {
      if (!IsInside(call.begin) || ProcessOf(call.thread) != window_.process) continue;
      if (IsWait(profile_, call.node)) {
        graph_.calls_.push_back(call);
        moments[call.thread.value].push_back(call.begin);
      } else {
        calls[call.thread.value].push_back({call.begin, call.end});
      }
    }
    for (auto& [_, of_thread] : calls) std::sort(of_thread.begin(), of_thread.end());
    for (auto& [_, of_thread] : moments) std::sort(of_thread.begin(), of_thread.end());
    std::vector<std::pair<HostNs, uint32_t>> waits;
    for (const ReplayCall& call : graph_.calls_) waits.push_back({call.begin, call.thread.value});
    std::sort(waits.begin(), waits.end());
    for (const uint32_t i : launches_) {
      const ReplayOperation& copy = operations_[i];
      if (!IsPageable(copy)) continue;
      if (std::binary_search(waits.begin(), waits.end(),
                             std::pair(copy.launch, copy.thread.value))) {
        continue;  // it is a waiting call itself
      }
      const std::vector<HostNs>& after = moments[copy.thread.value];
      const auto next = std::upper_bound(after.begin(), after.end(), copy.launch);
      const auto& known = calls[copy.thread.value];
      auto call = std::upper_bound(known.begin(), known.end(), std::pair(copy.launch, kLatest));
      HostNs until = std::max(copy.launch, copy.end);
      if (call != known.begin() && (--call)->second > copy.launch) {
        until = call->second;
      } else if (copy.target != kMemoryPageable && copy.bytes < kStagedAsync) {
        continue;
      }
      if (next != after.end() && *next < until) continue;
      graph_.calls_.push_back({copy.launch, until, copy.thread, copy.node, {}});
    }
  }

  void Order() {
    std::vector<Place> host, gpu;
    host.reserve(launches_.size() + 2 * graph_.calls_.size() + window_.bounds.size());
    for (const uint32_t i : launches_) {
      host.push_back({operations_[i].launch, ReplayNode::kLaunch, i});
    }
    for (uint32_t i = 0; i < window_.bounds.size(); ++i) {
      host.push_back({window_.bounds[i], ReplayNode::kStep, i});
    }
    for (uint32_t i = 0; i < graph_.calls_.size(); ++i) {
      host.push_back({graph_.calls_[i].begin, ReplayNode::kCallBegin, i});
      host.push_back({graph_.calls_[i].end, ReplayNode::kCallEnd, i});
    }
    // Clocks of host and GPU differ by a little, and work may be recorded out of its stream's order:
    // nothing comes before what it depends on.
    gpu.reserve(chosen_.size());
    for (const uint32_t i : chosen_) {
      const ReplayOperation& operation = operations_[i];
      HostNs& key = At(streams_, operation.stream.value).key;
      key = std::max({key, operation.start, operation.launch});
      gpu.push_back({key, ReplayNode::kOperation, i});
    }
    std::sort(host.begin(), host.end());
    if (!std::is_sorted(gpu.begin(), gpu.end())) std::sort(gpu.begin(), gpu.end());
    order_.resize(host.size() + gpu.size());
    std::merge(host.begin(), host.end(), gpu.begin(), gpu.end(), order_.begin());
  }

  // What is usual between launch and work, and between operations.
  void Learn() {
    std::vector<int64_t> latencies, gaps;
    struct Last {
      HostNs end = kEarliest, launch = 0;
    };
    std::vector<Last> streams;
    for (const uint32_t i : chosen_) {
      const ReplayOperation& operation = operations_[i];
      Last& last = At(streams, operation.stream.value);
      const auto [end, launch] = last;
      last = {std::max(end, operation.end), operation.launch};
      if (operation.launch == 0) continue;
      if (end <= operation.launch && operation.start > operation.launch) {
        latencies.push_back(operation.start - operation.launch);
      }
      if (end != kEarliest && operation.start >= end &&
          (launch == operation.launch || end - operation.launch > kQueued)) {
        gaps.push_back(operation.start - end);
      }
    }
    graph_.launch_latency_ = Quantile(latencies, 0.25, kUsualLatency);
    graph_.gap_ = Quantile(gaps, 0.5, kUsualGap);
  }

  void Connect() {
    graph_.nodes_.reserve(order_.size());
    graph_.step_of_.reserve(order_.size());
    last_of_launch_.assign(order_.size(), kNoNode);
    launch_nodes_.assign(operations_.size(), kNoNode);
    for (const Place& place : order_) {
      const auto own = static_cast<uint32_t>(graph_.nodes_.size());
      ReplayNode node;
      node.kind = place.kind;
      node.event = place.event;
      switch (place.kind) {
        case ReplayNode::kStep:
          node.begin = place.time;
          Moment(main_, own, node);
          graph_.bounds_.push_back(own);
          break;
        case ReplayNode::kCallBegin:
        case ReplayNode::kCallEnd:
          node.begin = place.time;
          if (place.kind == ReplayNode::kCallEnd) EndWait(graph_.calls_[place.event], node);
          Moment(TimelineOf(graph_.calls_[place.event].thread), own, node);
          if (place.kind == ReplayNode::kCallEnd) ShareWait(node);
          break;
        case ReplayNode::kLaunch:
          node.begin = place.time;
          Launch(operations_[place.event], own, node);
          break;
        case ReplayNode::kOperation:
          Operate(operations_[place.event], own, node);
          break;
      }
      graph_.nodes_.push_back(node);
      graph_.step_of_.push_back(place.kind == ReplayNode::kOperation
                                    ? StepOf(operations_[place.event])
                                    : 0);
    }
  }

  uint32_t StepOf(const ReplayOperation& operation) const {
    const HostNs time = operation.launch != 0 ? operation.launch : operation.start;
    const auto& bounds = window_.bounds;
    return static_cast<uint32_t>(std::upper_bound(bounds.begin(), bounds.end(), time) -
                                 bounds.begin());
  }

  HostNs EndOf(uint32_t node) const { return EndOf(graph_.nodes_[node]); }
  static HostNs EndOf(const ReplayNode& node) { return node.begin + node.length; }
  static void Depend(ReplayNode& node, ReplayNode::Edge edge, uint32_t on, int64_t lag) {
    node.from[edge] = on;
    node.lag[edge] = lag;
  }

  void Moment(uint32_t thread, uint32_t own, ReplayNode& node) {
    uint32_t& last = At(threads_, thread).last;
    if (last != kNoNode) {
      Depend(node, ReplayNode::kBefore, last, node.begin - graph_.nodes_[last].begin);
    }
    last = own;
  }

  void Launch(const ReplayOperation& first, uint32_t own, ReplayNode& node) {
    Moment(TimelineOf(first.thread), own, node);
    At(threads_, first.thread.value).launch = own;
    launch_nodes_[node.event] = own;
    const std::vector<uint32_t>& queue = At(streams_, first.stream.value).of_launches;
    if (queue.size() < kQueueDepth) return;
    // Those that have not begun are not in the list yet, so this is what it was at the latest.
    const uint32_t oldest = queue[queue.size() - kQueueDepth];
    if (EndOf(oldest) <= node.begin) Depend(node, ReplayNode::kOther, oldest, 0);
  }

  void Operate(const ReplayOperation& operation, uint32_t own, ReplayNode& node) {
    node.begin = operation.start;
    node.length = operation.end - operation.start;
    StreamState& stream = At(streams_, operation.stream.value);
    PopEnded(operation.start);
    const uint32_t first = launch_of_[node.event];
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
    const uint32_t other = OtherStream(operation);
    const bool handed = explained != kEarliest && node.begin - explained > kUnexplained &&
                        other != kNoNode && node.begin - EndOf(other) <= kHandOver;
    if (handed) {
      Depend(node, ReplayNode::kOther, other, node.begin - EndOf(other));
      ++graph_.guessed_edges_;
    }
    // What was the last one keeps all of its lag.
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
    running_.push({EndOf(node), own});
  }

  // Takes note of what has ended until `time`, and of the two latest of different streams.
  void PopEnded(HostNs time) {
    for (; !running_.empty() && running_.top().end <= time; running_.pop()) {
      const Ended& ended = running_.top();
      if (latest_[0].node != kNoNode && StreamOf(latest_[0].node) != StreamOf(ended.node)) {
        latest_[1] = latest_[0];
      }
      latest_[0] = ended;
    }
  }
  GpuStreamId StreamOf(uint32_t node) const { return Operation(node).stream; }
  uint32_t OtherStream(const ReplayOperation& operation) const {
    for (const Ended& ended : latest_) {
      if (ended.node != kNoNode && StreamOf(ended.node) != operation.stream) return ended.node;
    }
    return kNoNode;
  }

  // What a call waited for: what it launched itself, else the end of the stream that its thread used
  // last, else what was the last to end.
  void EndWait(const ReplayCall& call, ReplayNode& node) {
    const HostNs until = AddSaturated(call.end, kClockJitter);
    const auto fits = [&](uint32_t operation) {
      return operation != kNoNode && EndOf(operation) <= until;
    };
    uint32_t cause = kNoNode;
    const uint32_t launch = At(threads_, call.thread.value).launch;
    if (launch != kNoNode) {
      const uint32_t own = last_of_launch_[launch];
      if (graph_.nodes_[launch].begin >= call.begin) {
        // The last piece of a staged copy runs when its call has returned.
        if (fits(own) || (own != kNoNode && IsPageable(Operation(own)))) cause = own;
      } else if (fits(own)) {
        cause = TailOf(StreamOf(own), call.begin);
        if (!fits(cause)) cause = own;
      }
    }
    if (cause == kNoNode) {
      PopEnded(call.end);
      for (const Ended& latest : latest_) {
        if (cause == kNoNode && latest.node != kNoNode && LaunchOf(latest.node) <= call.begin) {
          cause = latest.node;
        }
      }
    }
    if (cause != kNoNode) Depend(node, ReplayNode::kCause, cause, call.end - EndOf(cause));
  }

  const ReplayOperation& Operation(uint32_t node) const {
    return operations_[graph_.nodes_[node].event];
  }
  HostNs LaunchOf(uint32_t node) const { return Operation(node).launch; }

  // The last operation of a stream that was launched before.
  uint32_t TailOf(GpuStreamId stream, HostNs launched) const {
    constexpr int kMost = 64;
    uint32_t node = streams_[stream.value].last;
    for (int i = 0; i < kMost && node != kNoNode && LaunchOf(node) > launched; ++i) {
      node = graph_.nodes_[node].from[ReplayNode::kBefore];
    }
    return node != kNoNode && LaunchOf(node) > launched ? kNoNode : node;
  }

  // Of a wait that ended with its operation the host had nothing to do but the call itself.
  void ShareWait(ReplayNode& node) {
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

  const Profile& profile_;
  const ReplayWindow& window_;
  ReplayGraph& graph_;
  const std::vector<ReplayOperation>& operations_;
  std::vector<uint32_t> chosen_;    // operations, by start
  std::vector<uint32_t> launches_;  // the first operation of each, by time
  std::unordered_map<uint32_t, uint32_t> joined_;
  uint32_t main_ = 0;
  std::vector<Place> order_;
  std::vector<StreamState> streams_;      // by id
  std::vector<ThreadState> threads_;      // by id
  std::vector<uint32_t> launch_of_;       // by operation: the first one of its launch
  std::vector<uint32_t> launch_nodes_;    // by first operation: the launch
  std::vector<uint32_t> last_of_launch_;  // by launch node: the last operation that began
  std::priority_queue<Ended> running_;
  Ended latest_[2];
};

ReplayGraph::ReplayGraph(const Profile& profile, const ReplayEvents& events,
                         const ReplayWindow& window)
    : events_(events) {
  ReplayBuilder(profile, window, *this).Build();
}

ReplayTimes ReplayGraph::Replay(const ReplayModel& model) const {
  ReplayTimes times;
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
        if (node.kind == ReplayNode::kOperation) {
          if (!model.lag.empty() && model.lag[i] >= 0) lag = model.lag[i];
        } else {
          if (!model.host.empty() && model.host[i] >= 0) lag = model.host[i];
          if (model.host_factor != 1) {
            lag = std::llround(static_cast<double>(lag) * model.host_factor);
          }
        }
      }
      const HostNs ready = AddSaturated(AddSaturated(times.begin[from], length_of(from)), lag);
      if (ready <= begin && begin != kEarliest) continue;
      begin = ready;
      times.last[i] = edge;
    }
    times.begin[i] = begin == kEarliest ? node.begin : begin;
  }
  return times;
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

}  // namespace gprofx
