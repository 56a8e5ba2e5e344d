#include "core/cost/profiling_time.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/arithmetic.h"
#include "core/base/path.h"
#include "core/model/inherit.h"
#include "core/model/kept_quality.h"
#include "core/model/libraries.h"

namespace gprofx {
namespace {

// Returns a flag for each metric, by MetricId::value: the metric counts CPU samples.
std::vector<char> SampledMetrics(const Profile& profile) {
  constexpr std::string_view kNames[] = {"cpu", "wall", "idle", "samples", "cpu_gil", "cpu_nogil"};
  std::vector<char> sampled(profile.metrics.size() + 1);
  for (size_t i = 0; i < profile.metrics.size(); ++i) {
    const std::string& name = profile.metrics[i].name;
    sampled[i + 1] = std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
  }
  return sampled;
}

bool IsImported(const Profile& profile, ProcessId process) {
  constexpr char kFact[] = "imported_from";
  if (profile.meta.contains(kFact)) return true;
  const SourceId source = process ? profile.process(process).source : SourceId{};
  return source && profile.sources[source.index()].meta.contains(kFact);
}

std::vector<uint8_t> NodesOfProfiling(const Profile& profile) {
  ProfilingStacks stacks(profile);
  std::vector<uint8_t> nodes(profile.nodes.size());
  for (uint32_t i = 0; i < nodes.size(); ++i) {
    const NodeId node{i + 1};
    nodes[i] = !stacks.Is(node) ? 0 : stacks.IsWholeThread(node) ? 2 : 1;
  }
  if (std::all_of(nodes.begin(), nodes.end(), [](uint8_t node) { return node == 0; }))
    nodes.clear();
  return nodes;
}

// Returns the nodes and threads whose samples are left out; empty if there are none.
LeftOutSamples FindLeftOut(const Profile& profile) {
  LeftOutSamples out;
  out.nodes = NodesOfProfiling(profile);
  bool any = !out.nodes.empty();
  for (const Thread& thread : profile.threads) {
    LeftOutSamples::OfThread& row = out.threads.emplace_back();
    row.keeps = IsImported(profile, thread.process);
    row.is_ours = !row.keeps && IsOwnThread(profile.Text(thread.name));
    any = any || row.is_ours;
  }
  return any ? out : LeftOutSamples();
}

// Returns the total time that is left out. Also fills in the time of each thread and whether the
// whole thread is left out.
int64_t CountLeftOut(const Profile& profile, LeftOutSamples& left_out) {
  const MetricId wall = profile.FindMetric("wall"), time = wall ? wall : profile.FindMetric("cpu");
  const std::vector<char> sampled = SampledMetrics(profile);
  std::vector<char> has_own(profile.threads.size());
  int64_t sum = 0;
  for (const Value& value : profile.values) {
    const bool is_left_out = IsLeftOut(profile, value.node, value.thread);
    if (value.metric.value >= sampled.size()) continue;
    const bool is_time = time && value.metric == time;
    if (is_left_out && is_time) sum = AddSaturated(sum, value.self);
    if (!value.thread || value.thread.index() >= has_own.size() || value.self == 0) continue;
    int64_t& ns = left_out.threads[value.thread.index()].ns;
    if (is_left_out && is_time && !wall) ns = AddSaturated(ns, value.self);
    const bool is_known = value.node && value.node.index() < left_out.nodes.size();
    const bool is_whole = is_known && left_out.nodes[value.node.index()] == 2;
    // Values at the root are times with and without the GIL. They do not show that the thread ran
    // code of the program.
    if (!(is_whole && is_left_out && sampled[value.metric.value] != 0) &&
        value.node != profile.root())
      has_own[value.thread.index()] = 1;
  }
  for (size_t i = 0; i < has_own.size(); ++i) {
    LeftOutSamples::OfThread& thread = left_out.threads[i];
    thread.is_whole = thread.is_ours || (thread.ns > 0 && has_own[i] == 0);
  }
  return sum;
}

}  // namespace

bool IsCuptiLibrary(std::string_view path) {
  const std::string_view name = BaseName(path);
  return name.starts_with("libcupti") || name.starts_with("libnvperf");
}

ProfilingStacks::Sort ProfilingStacks::SortOf(const Module& module) const {
  const std::string_view path = profile_.Text(module.path), name = BaseName(path);
  if ((module.flags & kModuleIsProfiler) != 0)
    return name.starts_with("libgprofx-agent") ? Sort::kAgent : Sort::kOurs;
  if (IsCuptiLibrary(path)) return Sort::kCupti;
  if (name.starts_with("libcuda.so")) return Sort::kDriver;
  return (module.flags & kModuleIsVdso) != 0 || IsCRuntime(path) ? Sort::kRunTime : Sort::kProgram;
}

ProfilingStacks::Stack ProfilingStacks::Below(const Stack& above, Sort sort) {
  Stack out = above;
  if (sort == Sort::kRunTime) return out;  // The C runtime works for its caller.
  const bool of_profiler = sort == Sort::kOurs || sort == Sort::kCupti;
  // All threads of the program begin in gprof-x's agent, so frames of the agent do not count as
  // code.
  out.whole_thread = above.whole_thread || (!above.has_code && of_profiler);
  out.has_code = above.has_code || sort != Sort::kAgent;
  out.is_profiling = out.whole_thread || of_profiler || sort == Sort::kAgent ||
                     (sort == Sort::kDriver && above.latest == Sort::kCupti);
  if (sort != Sort::kDriver) out.latest = sort;
  return out;
}

ProfilingStacks::Stack ProfilingStacks::Extend(const Stack& above, FrameId id) {
  if (!id) return above;
  const Frame& frame = profile_.frame(id);
  // Neither frame is code: a layer names the module to which a call belongs, and an idle frame
  // belongs to its caller.
  if (frame.kind == FrameKind::kLayer || frame.kind == FrameKind::kIdle) return above;
  if (frame.kind == FrameKind::kRoot) return {};
  if (frame.kind == FrameKind::kProcess) {
    const bool is_ours =
        frame.function && profile_.Text(profile_.function(frame.function).name) == kOwnStart;
    return {.is_profiling = is_ours};
  }
  if (frame.kind == FrameKind::kTruncated) {  // the outer frames are unknown
    Stack out = above;
    out.has_code = true;
    return out;
  }
  // Code that lies in no file belongs to its caller.
  const bool is_code = frame.kind == FrameKind::kNative || frame.kind == FrameKind::kUnknown;
  if (is_code && !frame.module && above.is_profiling) return above;
  return Below(above, frame.module ? sorts_[frame.module.index()] : Sort::kProgram);
}

ProfilingStacks::ProfilingStacks(const Profile& profile)
    : profile_(profile), is_imported_(profile.meta.contains("imported_from")) {}

const ProfilingStacks::Stack& ProfilingStacks::StackOf(NodeId node) {
  static const Stack kNone;
  if (is_imported_) return kNone;
  for (size_t i = sorts_.size(); i < profile_.modules.size(); ++i)
    sorts_.push_back(SortOf(profile_.modules[i]));
  ExtendDown(profile_.nodes, stacks_,
             [this](const Stack& above, FrameId frame) { return Extend(above, frame); });
  return stacks_[node.index()];
}

void TakeOutProfiling(Profile& profile, Profiling profiling) {
  profile.quality.erase("profiling_ns");
  profile.left_out = FindLeftOut(profile);
  if (profile.left_out.empty()) return;
  const int64_t ns = CountLeftOut(profile, profile.left_out);
  if (ns > 0) profile.quality["profiling_ns"] = ns;
  if (profiling == Profiling::kShown) {
    profile.left_out = {};
    return;
  }
  KeepQuality(profile);
  TakeLeftOut(profile, profile.values);
}

bool IsLeftOut(const Profile& profile, NodeId node, ThreadId thread) {
  const LeftOutSamples& left_out = profile.left_out;
  if (thread && thread.index() < left_out.threads.size()) {
    const LeftOutSamples::OfThread& of_thread = left_out.threads[thread.index()];
    if (of_thread.is_ours || of_thread.keeps) return of_thread.is_ours;
  }
  return node && node.index() < left_out.nodes.size() && left_out.nodes[node.index()] != 0;
}

bool IsLeftOut(const Profile& profile, ThreadId thread) {
  const std::vector<LeftOutSamples::OfThread>& threads = profile.left_out.threads;
  return thread && thread.index() < threads.size() && threads[thread.index()].is_whole;
}

void TakeLeftOut(const Profile& profile, std::vector<Value>& values) {
  if (profile.left_out.empty()) return;
  const std::vector<char> sampled = SampledMetrics(profile);
  std::erase_if(values, [&](const Value& value) {
    return value.metric.value < sampled.size() && sampled[value.metric.value] != 0 &&
           IsLeftOut(profile, value.node, value.thread);
  });
}

std::function<void(std::span<const SampleRow>)> WithoutLeftOut(
    const Profile& profile, std::function<void(std::span<const SampleRow>)> sink) {
  if (profile.left_out.empty()) return sink;
  return [&profile, sink = std::move(sink),
          kept = std::vector<SampleRow>()](std::span<const SampleRow> rows) mutable {
    kept.clear();
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(kept),
                 [&](const SampleRow& row) { return !IsLeftOut(profile, row.node, row.thread); });
    if (!kept.empty()) sink(kept);
  };
}

}  // namespace gprofx
