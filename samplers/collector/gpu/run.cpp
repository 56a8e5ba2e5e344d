#include "samplers/collector/gpu/run.h"

#include <algorithm>

namespace gprofx {
namespace {

constexpr int kMostFacts = 256;
constexpr size_t kMostNotices = 64, kMostText = 2000;

bool IsFactName(std::string_view name) {
  return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

}  // namespace

const GpuMetrics& GpuRun::metrics() {
  if (!metrics_) {
    GpuMetrics& m = metrics_.emplace();
    m.time = profile_.AddMetric(kMetricGpu, "ns", MetricKind::kExact);
    m.operations = profile_.AddMetric(kMetricGpuOps, "count", MetricKind::kExact);
    m.wait = profile_.AddMetric(kMetricGpuWait, "ns", MetricKind::kExact);
    m.pc_samples = profile_.AddMetric(kMetricPcSamples, "count", MetricKind::kSampled);
    m.pc_latency = profile_.AddMetric(kMetricPcLatency, "count", MetricKind::kSampled);
    for (size_t i = 0; i < kStallClasses; ++i) {
      m.stalls[i] = profile_.AddMetric(std::string(kMetricStallPrefix) + kStallClassNames[i],
                                       "count", MetricKind::kSampled);
    }
  }
  return *metrics_;
}

FrameId GpuRun::Marker(std::string_view text, FrameKind kind) {
  Function function;
  function.name = profile_.Intern(text);
  Frame frame;
  frame.kind = kind;
  frame.function = profile_.Intern(function);
  return profile_.Intern(frame);
}

NodeId GpuRun::Child(NodeId parent, FrameId frame) {
  if (profile_.nodes.size() < kMostNodes) return profile_.Child(parent, frame);
  return profile_.Child(profile_.root(), Marker("[too many call paths]"));
}

ThreadId GpuRun::UnknownThread(ProcessId process) {
  ThreadId& thread = unknown_threads_[process.value];
  if (!thread) {
    Thread row;
    row.process = process;
    row.name = profile_.Intern("[unknown]");
    row.start = profile_.process(process).start;
    profile_.threads.push_back(row);
    thread = ThreadId{static_cast<uint32_t>(profile_.threads.size())};
  }
  return thread;
}

void GpuRun::AddModule(const wire::GpuModuleRecord& record) {
  if (record.spool_bytes == 0 || modules_.size() >= kMostModules) return;
  modules_.try_emplace(record.hash, GpuModuleCode{record.spool_offset, record.spool_bytes});
}

uint32_t GpuRun::Cubin(uint64_t hash) {
  if (const auto found = cubins_.find(hash); found != cubins_.end()) return found->second;
  auto& rows = profile_.gpu.cubins;
  if (rows.size() >= kMostModules) return 0;
  rows.push_back({hash, {}});
  return cubins_[hash] = static_cast<uint32_t>(rows.size());
}

void GpuRun::AddFact(std::string_view fact) {
  const size_t equals = fact.find('=');
  if (equals == std::string_view::npos || !IsFactName(fact.substr(0, equals)) ||
      facts_ >= kMostFacts) {
    CountBad();
    return;
  }
  ++facts_;
  profile_.meta["gpu_" + std::string(fact.substr(0, equals))] =
      std::string(fact.substr(equals + 1, kMostText));
}

void GpuRun::AddNotice(uint32_t notice, std::string_view text) {
  if (said_.size() >= kMostNotices || !said_.insert(notice).second) return;
  messages_.push_back({notice, std::string(text.substr(0, kMostText))});
}

void GpuRun::MarkThread(ThreadId thread) {
  if (thread.value >= uses_gpu_.size()) uses_gpu_.resize(thread.value + 64);
  uses_gpu_[thread.value] = true;
}

void GpuRun::AddBusy(ProcessId process, uint32_t device, BusyClass what, HostNs begin,
                     HostNs end) {
  wall_.AddBusy(what, begin, end);
  lanes_.AddBusy(process, device, what, begin, end);
}

void GpuRun::AddWait(ProcessId process, const std::string& call, HostNs begin, HostNs end) {
  wall_.AddWait(call, begin, end);
  lanes_.AddWait(process, call, begin, end);
}

void GpuRun::AddQueueFull(ProcessId process, HostNs begin, HostNs end) {
  wall_.AddQueueFull(begin, end);
  lanes_.AddQueueFull(process, begin, end);
}

void GpuRun::AddSample(ThreadId thread, HostClass what, HostNs time, int64_t weight_ns) {
  wall_.AddSample(what, time, weight_ns);
  if (UsesGpu(thread)) {
    lanes_.AddSample(profile_.threads[thread.index()].process, what, time, weight_ns);
  }
}

void GpuRun::Publish(std::map<std::string, int64_t>& quality) const {
  quality["gpu_bad_records"] = bad_records_;
  quality["gpu_unlaunched"] = unlaunched_;
  quality["gpu_pc_received"] = pc_totals_.received;
  quality["gpu_pc_exact"] = pc_totals_.exact;
  quality["gpu_pc_proportional"] = pc_totals_.proportional;
  quality["gpu_pc_function_only"] = pc_totals_.function_only;
  quality["gpu_pc_unattributed"] = pc_totals_.unattributed;
  quality["gpu_pc_dropped"] = pc_totals_.dropped;
  // 0 unless records were lost on the way: the interface's own sum against what came.
  quality["gpu_pc_missing"] = pc_totals_.expected - pc_totals_.counted;
  quality["gpu_wall_late_ns"] = wall_.late_ns();
}

}  // namespace gprofx
