#include "core/replay/window_events.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/base/quantile.h"
#include "core/replay/threads.h"

namespace gprofx {
namespace {

// Lags (ns) that are used if the recording has no data.
constexpr int64_t kUsualLatency = 6'000, kUsualGap = 1'000;
// ns. A longer gap between queued operations is not caused by the GPU, but by a recorder that
// inspects kernels one by one.
constexpr int64_t kMaxGap = 2'000;
// ns. An operation that was launched this long before its start was waiting in the queue.
constexpr int64_t kQueued = 20'000;
// Maximum bytes of a copy to the device that does not block the host.
constexpr int64_t kStagedAsync = 64 << 10;

bool IsWait(const Profile& profile, NodeId node) {
  if (!node) return false;
  const FrameId frame = profile.node(node).frame;
  return frame && profile.frame(frame).kind == FrameKind::kCudaApi;
}

class Chooser {
 public:
  Chooser(const Profile& profile, const ReplayEvents& events, const ReplayWindow& window)
      : profile_(profile), events_(events), window_(window) {}

  WindowEvents Choose() {
    ChooseOperations();
    ChooseCalls();
    return std::move(out_);
  }

 private:
  ProcessId ProcessOf(ThreadId thread) const {
    return thread ? profile_.thread(thread).process : ProcessId{};
  }
  bool IsInside(HostNs time) const {
    return time >= window_.bounds.front() && time < window_.bounds.back();
  }

  void ChooseOperations() {
    for (uint32_t i = 0; i < events_.operations.size(); ++i) {
      const ReplayOperation& operation = events_.operations[i];
      if (ProcessOf(operation.thread) != window_.process) continue;
      const bool launched = operation.launch != 0 && IsInside(operation.launch);
      if (launched || IsInside(operation.start)) out_.operations.push_back(i);
      if (launched) out_.launches.push_back(i);
    }
    const auto by_start = [&](uint32_t a, uint32_t b) {
      return events_.operations[a].start < events_.operations[b].start;
    };
    if (!std::is_sorted(out_.operations.begin(), out_.operations.end(), by_start)) {
      std::stable_sort(out_.operations.begin(), out_.operations.end(), by_start);
    }
    // A graph launch starts many operations on the GPU, which have the same launch time and thread.
    const auto call = [&](uint32_t i) {
      return std::tuple(events_.operations[i].launch, events_.operations[i].thread.value);
    };
    const auto earlier = [&](uint32_t a, uint32_t b) { return call(a) < call(b); };
    if (!std::is_sorted(out_.launches.begin(), out_.launches.end(), earlier)) {
      std::stable_sort(out_.launches.begin(), out_.launches.end(), earlier);
    }
    out_.launch_of.assign(events_.operations.size(), UINT32_MAX);
    size_t kept = 0;
    for (const uint32_t i : out_.launches) {
      if (kept == 0 || call(out_.launches[kept - 1]) != call(i)) out_.launches[kept++] = i;
      out_.launch_of[i] = out_.launches[kept - 1];
    }
    out_.launches.resize(kept);
    std::vector<ThreadMoment> moments;
    moments.reserve(out_.launches.size());
    for (const uint32_t i : out_.launches) {
      moments.push_back({events_.operations[i].launch, events_.operations[i].thread});
    }
    out_.joined = JoinThreads(profile_, moments);
    std::unordered_map<uint32_t, int64_t> counts;
    int64_t most = 0;
    for (size_t i = 0, end = 0; i < moments.size(); i = end) {
      end = EndOfTurn(moments, i);
      const uint32_t thread = out_.TimelineOf(moments[i].thread);
      const int64_t count = counts[thread] += static_cast<int64_t>(end - i);
      if (count > most) most = count, out_.main = thread;
    }
  }

  // Selects the waiting calls, and the calls of copies that blocked their thread. If the recording
  // does not contain the end of such a copy's call, the call is assumed to have ended with the
  // copy. If the thread did something else before the copy ended, the copy did not block it and is
  // left out.
  void ChooseCalls() {
    std::unordered_map<uint32_t, std::vector<std::pair<HostNs, HostNs>>> calls;  // by thread
    std::unordered_map<uint32_t, std::vector<HostNs>> moments;
    std::vector<HostNs>* of_thread = nullptr;
    ThreadId last;
    for (const uint32_t i : out_.launches) {
      const ReplayOperation& launched = events_.operations[i];
      if (of_thread == nullptr || launched.thread != last)
        of_thread = &moments[launched.thread.value];
      last = launched.thread;
      of_thread->push_back(launched.launch);
    }
    for (const ReplayCall& call : events_.calls) {
      if (!IsInside(call.begin) || ProcessOf(call.thread) != window_.process) continue;
      if (call.role != ReplayCall::kByNode || IsWait(profile_, call.node)) {
        out_.calls.push_back(call);
        moments[call.thread.value].push_back(call.begin);
      } else {
        calls[call.thread.value].push_back({call.begin, call.end});
      }
    }
    for (auto& [_, each] : calls) std::sort(each.begin(), each.end());
    for (auto& [_, each] : moments) {
      if (!std::is_sorted(each.begin(), each.end())) std::sort(each.begin(), each.end());
    }
    std::vector<std::pair<HostNs, uint32_t>> waits;
    for (const ReplayCall& call : out_.calls) waits.push_back({call.begin, call.thread.value});
    std::sort(waits.begin(), waits.end());
    for (const uint32_t i : out_.launches) {
      const ReplayOperation& copy = events_.operations[i];
      if (!IsPageable(copy.copy)) continue;
      if (std::binary_search(waits.begin(), waits.end(),
                             std::pair(copy.launch, copy.thread.value))) {
        continue;  // the copy's call is a waiting call itself
      }
      const std::vector<HostNs>& after = moments[copy.thread.value];
      const auto next = std::upper_bound(after.begin(), after.end(), copy.launch);
      const auto& known = calls[copy.thread.value];
      auto call = std::upper_bound(known.begin(), known.end(), std::pair(copy.launch, kLatest));
      HostNs until = std::max(copy.launch, copy.end);
      if (call != known.begin() && (--call)->second > copy.launch) {
        until = call->second;
      } else if (copy.copy.target != cupti::kPageable && copy.bytes < kStagedAsync) {
        continue;
      }
      if (next != after.end() && *next < until) continue;
      out_.calls.push_back({copy.launch, until, copy.thread, copy.node, {}});
    }
  }

  const Profile& profile_;
  const ReplayEvents& events_;
  const ReplayWindow& window_;
  WindowEvents out_;
};

}  // namespace

WindowEvents ChooseEvents(const Profile& profile, const ReplayEvents& events,
                          const ReplayWindow& window) {
  return Chooser(profile, events, window).Choose();
}

UsualLags FindUsualLags(const ReplayEvents& events, const std::vector<uint32_t>& by_start) {
  std::vector<int64_t> latencies, gaps;
  struct Last {
    HostNs end = kEarliest, launch = 0;
  };
  std::vector<Last> streams;  // by id of the stream
  for (const uint32_t i : by_start) {
    const ReplayOperation& operation = events.operations[i];
    if (operation.stream.value >= streams.size()) streams.resize(operation.stream.value + 1);
    Last& last = streams[operation.stream.value];
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
  return {latencies.empty() ? kUsualLatency : Quantile(std::move(latencies), 0.25),
          gaps.empty() ? kUsualGap : std::min(Median(std::move(gaps)), kMaxGap)};
}

}  // namespace gprofx
