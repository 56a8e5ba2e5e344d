// Implements the part of TraceGather that handles the host. It turns spans into call paths and
// finds the call paths of memory events.
#include "formats/importers/trace_gather.h"

#include <algorithm>
#include <utility>

#include "core/base/arithmetic.h"

namespace gprofx::importers {

LaunchIds TraceGather::IdsOfWork() const {
  std::vector<uint32_t> ids;
  ids.reserve(work_.size() + syncs_.size());
  for (const TraceWork& work : work_) ids.push_back(work.correlation);
  for (const TraceSync& sync : syncs_) ids.push_back(sync.correlation);
  return LaunchIds(std::move(ids));
}

// Places the spans thread by thread. Frees the spans of a thread as soon as they are placed.
void TraceGather::PlaceHost() {
  const bool any = std::any_of(spans_.begin(), spans_.end(),
                               [](const SpanStore& spans) { return !spans.empty(); });
  if (!any) return;
  const MetricId metric = profile_.AddMetric(kMetricHost, "ns", MetricKind::kExact);
  profile_.meta["clock"] = kMetricHost;
  CutSpans cut;
  MetricId flop, bytes;
  if (!operator_work_.empty()) {
    flop = profile_.AddMetric(kMetricOperatorFlop, "count", MetricKind::kExact);
    bytes = profile_.AddMetric(kMetricOperatorBytes, "bytes", MetricKind::kExact);
  }
  const LaunchIds launching = IdsOfWork();
  calls_.Reserve(launching.size());
  backwards_.Join(spans_);
  for (const size_t i : backwards_.ThreadOrder(spans_)) {
    SpanStore& spans = spans_[i];
    if (spans.empty()) continue;
    const ThreadId thread{static_cast<uint32_t>(i + 1)};
    backwards_.BeginThread();
    const auto caller_of = [&](const HostSpan& span, NodeId caller) {
      return backwards_.CallerOf(thread, span, caller);
    };
    const ProcessId process = profile_.thread(thread).process;
    const auto memory = memory_.find(thread);
    here_.clear();
    int64_t first = INT64_MAX, last = 0, waits_until = INT64_MIN;
    const auto placed = [&](const HostSpan& span, NodeId caller, NodeId own, int64_t end) {
      first = std::min(first, span.start);
      last = std::max(last, end);
      if (memory != memory_.end()) here_.push_back({span.start, end, own});
      if (launching.Contains(span.correlation)) {
        calls_.Add({span.correlation, process, thread, own, span.start, span.duration});
      }
      if (span.work != 0) {
        profile_.AddSelf(own, thread, flop, operator_work_[span.work - 1].flop);
        profile_.AddSelf(own, thread, bytes, operator_work_[span.work - 1].bytes);
      }
      backwards_.Add(thread, span, own);
      const gprofx::Frame& frame = profile_.frame(span.frame);
      // If a call of the runtime waits, so does the call of the driver within it. Only the outer
      // call counts as waiting.
      if (frame.kind == FrameKind::kCudaApi && end > waits_until) {
        waits_until = end;
        waits_.push_back({span.start, end, thread, caller, profile_.function(frame.function).name});
      }
    };
    const CutSpans cut_here =
        PlaceSpans(spans, thread, metric, GpuTimeline::kMaxNodes, profile_, caller_of, placed);
    if (memory != memory_.end()) PlaceMemory(memory->second);
    cut.spans += cut_here.spans;
    cut.without_node += cut_here.without_node;
    cut.unfollowed += cut_here.unfollowed;
    cut.ns = AddSaturated(cut.ns, cut_here.ns);
    profile_.threads[i].start = Moved(first);
    profile_.threads[i].end = Moved(last);
    spans.Clear();
  }
  DescribeCuts(cut);
}

void TraceGather::DescribeCuts(const CutSpans& cut) {
  if (cut.spans > 0) profile_.quality["import_cut_spans"] = cut.spans;
  if (cut.spans > 0) profile_.quality["import_cut_ns"] = cut.ns;
  LeaveOut("call_paths_of_spans", cut.without_node);
  LeaveOut("overlaps_of_ranges", cut.unfollowed);
  LeaveOut("forward_paths_of_backward_work", backwards_.without_path());
}

// Places the memory events of a thread below the innermost span around them.
void TraceGather::PlaceMemory(std::vector<TraceMemory>& memory) {
  const auto outer_first = [](const Placed& a, const Placed& b) {
    return a.start != b.start ? a.start < b.start
           : a.end != b.end   ? a.end > b.end
                              : a.node < b.node;
  };
  std::sort(here_.begin(), here_.end(), outer_first);
  std::stable_sort(memory.begin(), memory.end(),
                   [](const TraceMemory& a, const TraceMemory& b) { return a.time < b.time; });
  std::vector<const Placed*> open;
  size_t next = 0;
  for (TraceMemory& event : memory) {
    for (; next < here_.size() && here_[next].start <= event.time; ++next) {
      while (!open.empty() && open.back()->end <= here_[next].start) open.pop_back();
      open.push_back(&here_[next]);
    }
    while (!open.empty() && open.back()->end <= event.time) open.pop_back();
    if (!open.empty()) event.node = open.back()->node;
  }
}

// Chooses the process for events to which the trace gives none: the process with the most spans.
void TraceGather::FindHome() {
  std::map<ProcessId, size_t> spans;
  for (size_t i = 0; i < spans_.size(); ++i) {
    if (!spans_[i].empty()) spans[profile_.threads[i].process] += spans_[i].size();
  }
  spans.erase(ProcessId{});
  host_processes_ = static_cast<int64_t>(spans.size());
  const auto most = std::max_element(
      spans.begin(), spans.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  home_ = most != spans.end()          ? most->first
          : profile_.processes.empty() ? Process(0)
                                       : ProcessId{1};
  for (const auto& [_, thread] : orphans_) profile_.threads[thread.index()].process = home_;
}

}  // namespace gprofx::importers
