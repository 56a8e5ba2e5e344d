#include "core/findings/time_line.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>
#include <unordered_map>

#include "core/base/arithmetic.h"
#include "core/findings/shown_time.h"
#include "core/gpu/collective_frames.h"
#include "core/model/layer_path.h"

namespace gprofx::findings {
namespace {

// Calls that are longer than this, in ns, have a row in the recording: something blocked them, or
// they may have waited.
constexpr int64_t kLongLaunch = 20'000, kLongCopy = 2'000;

// Limits, because a corrupt file may contain times whose sums overflow. Ranges longer than kLongest
// are ignored. Work is cut where it extends more than kBeyond out of a range.
constexpr int64_t kLongest = int64_t{1} << 52, kBeyond = int64_t{1} << 40;

ProcessId ProcessOf(const Profile& profile, ThreadId thread) {
  return thread ? profile.thread(thread).process : ProcessId{};
}

// Returns the process whose steps are shown if it uses a GPU, otherwise the process with the most
// GPU time.
ProcessId MainProcess(const analyses::AnalysisContext& context) {
  std::map<ProcessId, int64_t> time;
  for (const PhaseOperation& operation : context.events.operations) {
    time[ProcessOf(context.profile, operation.thread)] += context.LengthOf(operation);
  }
  const auto& trains = context.profile.phases.trains;
  if (!trains.empty() && time.contains(trains[0].process) && time[trains[0].process] > 0) {
    return trains[0].process;
  }
  const auto most = std::max_element(
      time.begin(), time.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == time.end() ? ProcessId{} : most->first;
}

class Maker {
 public:
  Maker(const analyses::AnalysisContext& context, const FindingEvents& events)
      : context_(context), profile_(context.profile), events_(events) {}

  TimeLine Make() {
    line_.process = MainProcess(context_);
    Shown();
    line_.segments = Segments(events_, line_.process, runs_);
    for (const TimeRange& segment : line_.segments) line_.length_ns += segment.end - segment.begin;
    if (line_.length_ns <= 0) return std::move(line_);
    if (!events_.windows.empty() && line_.steps > 0) {
      line_.steps = std::max<int64_t>(line_.length_ns / std::max<int64_t>(line_.step_ns, 1), 1);
    }
    CollectOps();
    MakeCalls();
    Order();
    Intervals();
    SortByClass();
    Busy();
    return std::move(line_);
  }

 private:
  void Shown() {
    if (const std::vector<TimeRange> steps = StepsOf(profile_, line_.process); !steps.empty()) {
      ShowSteps(Middle(steps));
      return;
    }
    // Without steps, the range begins with the first work in the shown range. If the whole
    // recording is shown, it ends with the last work.
    HostNs begin = kLatest, end = kEarliest;
    for (const PhaseOperation& operation : context_.events.operations) {
      if (ProcessOf(profile_, operation.thread) != line_.process) continue;
      begin = std::min(begin, operation.launch > 0 ? operation.launch : operation.start);
      end = std::max(end, operation.end);
    }
    shown_ = {begin, end};
    if (profile_.part) {
      shown_ = {std::max(begin, profile_.part->range.begin), profile_.part->range.end};
    }
    if (shown_.begin >= shown_.end) shown_ = {};
    shown_ = {std::clamp(shown_.begin, -kFarTime, kFarTime),
              std::clamp(shown_.end, -kFarTime, kFarTime)};
    if (shown_.end - shown_.begin > kLongest) shown_ = {};
    line_.steps = context_.steps;
    const int64_t length = shown_.end - shown_.begin;
    line_.step_ns = line_.steps > 0 ? length / line_.steps : length;
    runs_ = {shown_};
  }

  // Returns `steps`, or only those in the middle if all have too much work to hold: an operation
  // takes up to 600 bytes. The middle is enough to show what steps are like.
  std::vector<TimeRange> Middle(const std::vector<TimeRange>& steps) const {
    constexpr size_t kMostOperations = 150'000, kFewest = 8;
    const HostNs begin = steps.front().begin, end = steps.back().end;
    const auto& operations = context_.events.operations;
    const auto all = static_cast<size_t>(
        std::count_if(operations.begin(), operations.end(), [&](const PhaseOperation& operation) {
          return operation.launch >= begin && operation.launch < end;
        }));
    if (all <= kMostOperations || steps.size() <= kFewest) return steps;
    const size_t count = std::max(kFewest, steps.size() * kMostOperations / all);
    const auto first = steps.begin() + static_cast<std::ptrdiff_t>((steps.size() - count) / 2);
    return {first, first + static_cast<std::ptrdiff_t>(count)};
  }

  void ShowSteps(const std::vector<TimeRange>& steps) {
    shown_ = {steps.front().begin, steps.back().end};
    line_.steps = static_cast<int64_t>(steps.size());
    if (shown_.end - shown_.begin > kLongest) return;
    runs_ = RunsOf(steps);
    for (const TimeRange& run : runs_) line_.step_ns += run.end - run.begin;
    line_.step_ns /= line_.steps;
  }

  HostNs Inside(HostNs time) const {
    return std::clamp(time, shown_.begin - kBeyond, shown_.end + kBeyond);
  }

  size_t SegmentOf(HostNs time) const {  // line_.segments.size() if in none
    const auto after = std::upper_bound(line_.segments.begin(), line_.segments.end(), time,
                                        [](HostNs t, const TimeRange& s) { return t < s.begin; });
    if (after == line_.segments.begin()) return line_.segments.size();
    const auto at = after - 1;
    return time < at->end ? static_cast<size_t>(at - line_.segments.begin())
                          : line_.segments.size();
  }

  void CollectOps() {
    std::unordered_map<uint32_t, uint32_t> streams;
    const std::vector<bool> communication = CommunicationFrames(profile_);
    const auto& operations = context_.events.operations;
    for (uint32_t i = 0; i < operations.size(); ++i) {
      const PhaseOperation& from = operations[i];
      if (ProcessOf(profile_, from.thread) != line_.process || !from.node) continue;
      if (!profile_.node(from.node).frame) continue;
      LineOp op;
      op.start = Inside(from.start);
      op.end = std::max(op.start, Inside(from.end));
      op.launch = from.launch > 0 ? std::min(Inside(from.launch), op.start) : op.start;
      if (SegmentOf(op.launch) == line_.segments.size()) continue;
      op.node = from.node;
      op.source = i;
      op.bytes = from.bytes;
      op.stream = streams.try_emplace(from.stream.value, static_cast<uint32_t>(streams.size()))
                      .first->second;
      op.is_kernel = i < events_.kernels;
      if (op.is_kernel && i < context_.events.configs.size())
        op.config = context_.events.configs[i];
      if (!op.is_kernel && i - events_.kernels < events_.copies.size()) {
        op.is_copy = true;
        op.copy = events_.copies[i - events_.kernels];
      }
      op.communication = op.is_kernel && communication[profile_.node(op.node).frame.index()];
      line_.ops.push_back(op);
    }
    line_.streams = static_cast<uint32_t>(streams.size());
    const auto earlier = [](const LineOp& a, const LineOp& b) {
      return a.launch != b.launch ? a.launch < b.launch : a.start < b.start;
    };
    if (!std::is_sorted(line_.ops.begin(), line_.ops.end(), earlier)) {
      std::stable_sort(line_.ops.begin(), line_.ops.end(), earlier);
    }
  }

  // Returns the end of the call that launched `op`. Only traces of other tools have durations of
  // all launches. A short launch ends when it begins, as in gprof-x's recordings: its time counts
  // as host time.
  HostNs EndOfLaunch(const LineOp& op) const {
    const std::vector<int64_t>& lengths = context_.events.launch_ns;
    const int64_t ns = op.source < lengths.size() ? lengths[op.source] : 0;
    if (ns < (op.is_copy ? kLongCopy : kLongLaunch)) return op.launch;
    const HostNs begin = context_.events.operations[op.source].launch;
    return std::max(op.launch, Inside(AddSaturated(begin, ns)));
  }

  // True if the call waited for its copy, that is, returned right after the copy had ended. A copy
  // of pinned memory must also have a long call, because a short call takes that long without
  // waiting.
  bool WaitedForCopy(const LineCall& call) const {
    const LineOp& op = line_.ops[call.first_op];
    const int64_t length = call.end - call.begin;
    const bool may_wait =
        IsPageable(op.copy) || (HostMemory(op.copy) != 0 && length >= kLongLaunch);
    return call.ops == 1 && op.is_copy && may_wait && call.end >= op.end &&
           2 * (call.end - op.end) < length;
  }

  void MakeCalls() {
    line_.calls.reserve(line_.ops.size() + events_.calls.size());
    for (uint32_t i = 0; i < line_.ops.size(); ++i) {
      const LineOp& op = line_.ops[i];
      const ThreadId thread = context_.events.operations[op.source].thread;
      if (!line_.calls.empty() && line_.calls.back().begin == op.launch &&
          line_.calls.back().thread == thread) {
        ++line_.calls.back().ops;
        continue;
      }
      LineCall call;
      call.begin = op.launch;
      call.end = EndOfLaunch(op);
      call.thread = thread;
      call.node = op.node;
      call.first_op = i;
      call.ops = 1;
      line_.calls.push_back(call);
    }
    for (LineCall& call : line_.calls) call.waits = WaitedForCopy(call);
    const size_t launches = line_.calls.size();
    for (const CallEvent& event : events_.calls) {
      if (ProcessOf(profile_, event.thread) != line_.process) continue;
      if (SegmentOf(event.start) == line_.segments.size()) continue;
      AddCall(event, launches);
    }
  }

  // Adds a call that has a row in the recording. If the call launched an operation, it is joined
  // with that launch, which is among the first `launches` calls.
  void AddCall(const CallEvent& event, size_t launches) {
    const HostNs end = Inside(AddSaturated(event.start, std::max<int64_t>(event.duration, 0)));
    const std::string_view name = profile_.Text(event.name);
    const bool puts_work = name.find("Launch") != std::string_view::npos ||
                           name.find("Memcpy") != std::string_view::npos ||
                           name.find("Memset") != std::string_view::npos;
    if (puts_work) {
      const auto first = line_.calls.begin(), last = first + static_cast<std::ptrdiff_t>(launches);
      auto at = std::lower_bound(first, last, event.start - 1000,
                                 [](const LineCall& call, HostNs t) { return call.begin < t; });
      for (; at != last && at->begin <= end; ++at) {
        if (at->thread != event.thread || at->name) continue;
        at->end = std::max(at->begin, end);
        at->name = event.name;
        at->waits = name.find("Memcpy") != std::string_view::npos;
        return;
      }
    }
    LineCall call;
    call.begin = event.start;
    call.end = end;
    call.thread = event.thread;
    call.node = event.node;
    call.name = event.name;
    call.waits = event.node && profile_.node(event.node).frame &&
                 profile_.frame(profile_.node(event.node).frame).kind == FrameKind::kCudaApi;
    call.memory =
        name.find("Alloc") != std::string_view::npos || name.find("Free") != std::string_view::npos;
    line_.calls.push_back(call);
  }

  void Order() {
    const auto earlier = [](const LineCall& a, const LineCall& b) { return a.begin < b.begin; };
    const auto begin = line_.calls.begin(), end = line_.calls.end();
    const auto others = std::is_sorted_until(begin, end, earlier);  // launches come first
    if (!std::is_sorted(others, end, earlier)) std::stable_sort(others, end, earlier);
    std::inplace_merge(begin, others, end, earlier);
    for (uint32_t i = 0; i < line_.calls.size(); ++i) {
      for (uint32_t k = 0; k < line_.calls[i].ops; ++k) {
        line_.ops[line_.calls[i].first_op + k].call = i;
      }
    }
  }

  void Intervals() {
    std::unordered_map<uint64_t, uint32_t> known;
    HostNs until = kEarliest;
    size_t segment = line_.segments.size();
    NodeId after;
    for (LineCall& call : line_.calls) {
      const size_t own = SegmentOf(call.begin);
      call.first_of_segment = own != segment;
      if (call.first_of_segment) {
        segment = own;
        until = std::max(until, line_.segments[own].begin);
        after = NodeId{};
      }
      call.before_begin = std::min(until, call.begin);
      call.before_ns = call.begin - call.before_begin;
      const uint64_t key =
          uint64_t{CodeOf(profile_, after).value} << 32 | CodeOf(profile_, call.node).value;
      const auto [found, is_new] =
          known.try_emplace(key, static_cast<uint32_t>(line_.classes.size()));
      if (is_new) line_.classes.push_back({0, 0, after, call.node});
      call.before_class = found->second;
      line_.classes[found->second].ns += call.before_ns;
      ++line_.classes[found->second].count;
      until = std::max(until, call.end);
      after = call.node;
    }
  }

  void SortByClass() {
    line_.first_of_class.assign(line_.classes.size() + 1, 0);
    for (const LineCall& call : line_.calls) ++line_.first_of_class[call.before_class + 1];
    std::partial_sum(line_.first_of_class.begin(), line_.first_of_class.end(),
                     line_.first_of_class.begin());
    std::vector<uint32_t> next(line_.first_of_class.begin(), line_.first_of_class.end() - 1);
    line_.by_class.resize(line_.calls.size());
    for (uint32_t i = 0; i < line_.calls.size(); ++i) {
      line_.by_class[next[line_.calls[i].before_class]++] = i;
    }
  }

  void Busy() {
    std::vector<uint32_t> order(line_.ops.size());
    std::iota(order.begin(), order.end(), 0u);
    const auto earlier = [&](uint32_t a, uint32_t b) {
      return line_.ops[a].start < line_.ops[b].start;
    };
    if (!std::is_sorted(order.begin(), order.end(), earlier)) {
      std::sort(order.begin(), order.end(), earlier);
    }
    HostNs until = kEarliest;
    for (const uint32_t i : order) {
      const LineOp& op = line_.ops[i];
      if (op.end <= until) continue;
      line_.busy_ns += op.end - std::max(op.start, until);
      until = op.end;
    }
  }

  const analyses::AnalysisContext& context_;
  const Profile& profile_;
  const FindingEvents& events_;
  TimeLine line_;
  TimeRange shown_;
  std::vector<TimeRange> runs_;  // the analysed parts of shown_
};

}  // namespace

HostNs TimeLine::EndOfSegment(HostNs time) const {
  const auto after = std::upper_bound(segments.begin(), segments.end(), time,
                                      [](HostNs t, const TimeRange& s) { return t < s.begin; });
  return after == segments.begin() ? time : std::max(time, (after - 1)->end);
}

TimeLine MakeTimeLine(const analyses::AnalysisContext& context, const FindingEvents& events) {
  return Maker(context, events).Make();
}

}  // namespace gprofx::findings
