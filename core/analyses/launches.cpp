// Makes statistics of the calls that launch GPU work, and of the work that waits in queues. The
// definitions are those of HolisticTraceAnalysis.
#include <algorithm>
#include <cmath>
#include <map>

#include "core/analyses/device_work.h"
#include "core/analyses/parts.h"
#include "core/base/arithmetic.h"
#include "core/base/quantile.h"
#include "core/model/layer_path.h"

namespace gprofx::analyses {
namespace {

constexpr int64_t kLongCall = 50'000, kLongDelay = 100'000;  // ns

struct LaunchSum {
  int64_t count = 0, call_ns = 0, work_ns = 0, delay_ns = 0;
  int64_t short_work = 0, long_calls = 0, long_delays = 0;
};

AnalysisCell Mean(int64_t sum, int64_t count) {
  if (count == 0) return {};
  return sum / count;
}

// Returns the name of the call that launched the work at `node`; "" if unknown. In traces of other
// tools, the call is the frame above the work; otherwise it is the innermost frame of the launching
// stack.
std::string CallName(const Profile& profile, NodeId node) {
  if (!node) return "";
  const NodeId caller = CodeOf(profile, profile.node(node).parent);
  const FrameId frame = caller ? profile.node(caller).frame : FrameId{};
  if (!frame || !profile.frame(frame).function) return "";
  return std::string(profile.Text(profile.function(profile.frame(frame).function).name));
}

}  // namespace

void LaunchStatistics(const AnalysisContext& context, Analysis& out) {
  out.columns = {{"call", "call", CellUnit::kText},
                 {"count", "count", CellUnit::kCount},
                 {"call_mean_ns", "call", CellUnit::kNs},
                 {"gpu_mean_ns", "GPU", CellUnit::kNs},
                 {"delay_mean_ns", "delay", CellUnit::kNs},
                 {"short", "short", CellUnit::kCount},
                 {"long_calls", "> 50 us", CellUnit::kCount},
                 {"long_delays", "delay > 100 us", CellUnit::kCount}};
  if (!NeedsGpu(context, out)) return;
  const std::vector<int64_t>& calls = context.events.launch_ns;
  if (calls.empty()) {
    out.reason = "only traces of other tools contain the duration of calls";
    return;
  }
  std::map<uint32_t, std::string> names;  // by node of the GPU work
  std::map<std::string, LaunchSum> sums;
  LaunchSum all;
  int64_t unknown = 0;
  for (const DeviceWork& group : DeviceWorkOf(context, DeviceWorkBy::kDevice)) {
    for (const WorkPiece& row : group.rows) {
      const PhaseOperation& operation = context.events.operations[row.operation];
      const int64_t call = calls[row.operation];
      if (call < 0) {
        ++unknown;
        continue;
      }
      const auto [name, is_new] = names.try_emplace(operation.node.value);
      if (is_new) name->second = CallName(context.profile, operation.node);
      const int64_t work = operation.end - operation.start;
      const HostNs called = AddSaturated(operation.launch, call);
      const int64_t delay = std::max<int64_t>(SubtractSaturated(operation.start, called), 0);
      for (LaunchSum* sum : {&sums[name->second], &all}) {
        ++sum->count;
        sum->call_ns = AddSaturated(sum->call_ns, call);
        sum->work_ns = AddSaturated(sum->work_ns, work);
        sum->delay_ns = AddSaturated(sum->delay_ns, delay);
        sum->short_work += work < call ? 1 : 0;
        sum->long_calls += call > kLongCall ? 1 : 0;
        sum->long_delays += delay > kLongDelay ? 1 : 0;
      }
    }
  }
  const auto add = [&](const std::string& name, const LaunchSum& sum) {
    out.rows.push_back({name, sum.count, Mean(sum.call_ns, sum.count), Mean(sum.work_ns, sum.count),
                        Mean(sum.delay_ns, sum.count), sum.short_work, sum.long_calls,
                        sum.long_delays});
  };
  for (const auto& [name, sum] : sums) add(name, sum);
  if (sums.size() > 1) add("(all)", all);
  out.notes.push_back(
      "one row for each operation's call; short: its work is shorter than the call; delay: from "
      "the end of the call to the start of its work");
  if (unknown > 0) {
    out.notes.push_back(std::to_string(unknown) +
                        " operations are left out: their calls are not in "
                        "the trace");
  }
}

void QueueLength(const AnalysisContext& context, Analysis& out) {
  out.columns = {{"process", "process", CellUnit::kText}, {"device", "GPU", CellUnit::kText, false},
                 {"stream", "stream", CellUnit::kCount},  {"count", "changes", CellUnit::kCount},
                 {"mean", "mean", CellUnit::kNumber},     {"std", "std", CellUnit::kNumber, false},
                 {"min", "min", CellUnit::kCount},        {"p25", "p25", CellUnit::kNumber, false},
                 {"median", "median", CellUnit::kNumber}, {"p75", "p75", CellUnit::kNumber, false},
                 {"max", "max", CellUnit::kCount},        {"full_ns", "full for", CellUnit::kNs}};
  if (!NeedsGpu(context, out)) return;
  constexpr int64_t kFull = 1024;
  for (const DeviceWork& group : DeviceWorkOf(context, DeviceWorkBy::kStream)) {
    // The changes of the queue's length are stored with reversed sign: -1 = launch, 1 = start. A
    // launch then sorts before a start at the same time.
    std::vector<std::pair<HostNs, int>> changes;
    for (const WorkPiece& row : group.rows) {
      if (row.launch == 0) continue;
      changes.push_back({row.launch, -1});
      changes.push_back({context.events.operations[row.operation].start, 1});
    }
    if (changes.empty()) continue;
    std::sort(changes.begin(), changes.end());
    std::vector<int64_t> lengths;
    lengths.reserve(changes.size());
    int64_t length = 0, sum = 0, full = 0;
    double squares = 0;
    for (size_t i = 0; i < changes.size(); ++i) {
      if (i > 0 && length >= kFull) full += changes[i].first - changes[i - 1].first;
      length -= changes[i].second;
      lengths.push_back(length);
      sum += length;
    }
    const double mean = static_cast<double>(sum) / static_cast<double>(lengths.size());
    for (const int64_t value : lengths) {
      squares += (static_cast<double>(value) - mean) * (static_cast<double>(value) - mean);
    }
    const auto [least, most] = std::minmax_element(lengths.begin(), lengths.end());
    // Double, because quantiles of integers are rounded.
    const std::vector<double> numbers(lengths.begin(), lengths.end());
    const int64_t stream =
        group.stream ? context.profile.gpu.streams[group.stream.index()].number : 0;
    out.rows.push_back({group.ProcessText(context.profile), group.DeviceText(context.profile),
                        stream, static_cast<int64_t>(lengths.size()), mean,
                        std::sqrt(squares / static_cast<double>(lengths.size() - 1)), *least,
                        Quantile(numbers, 0.25), Median(numbers), Quantile(numbers, 0.75), *most,
                        full});
  }
  out.notes.push_back(
      "operations launched but not yet started, at each launch and each start; full: 1,024");
}

}  // namespace gprofx::analyses
