#include "core/views/quality.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "core/base/arithmetic.h"
#include "core/model/layer_path.h"
#include "core/model/under_python.h"
#include "core/views/call_tree.h"
#include "core/views/recording.h"

namespace gprofx {
namespace {

// Beyond one of these limits, the data is called degraded.
constexpr double kMaxLost = 0.01;
constexpr double kMaxUnexplained = 0.02;
constexpr double kMaxBrokenStacks = 0.05;
// Minimum share of the requested rate that must be reached. A lower rate alone does little harm:
// time in the kernel is sampled at the tick rate only, but with the right weight.
constexpr double kMinRate = 0.2;
constexpr double kMaxPcDropped = 0.01;
constexpr double kMaxOutside = 0.1;

std::optional<int64_t> Counter(const Profile& profile, const char* name) {
  const auto found = profile.quality.find(name);
  if (found == profile.quality.end()) return std::nullopt;
  return found->second;
}

// Returns the recorder's counter `name`. If there is none, returns sum(), which computes the number
// from the values.
template <class Sum>
int64_t CounterOr(const Profile& profile, const char* name, Sum sum) {
  const std::optional<int64_t> counter = Counter(profile, name);
  return counter ? *counter : sum();
}

double Share(int64_t part, int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

// Returns the name of the row for time without a stack to which this node belongs. These rows are
// directly below the root. Returns "" for other nodes.
std::string_view ProcessRow(const Profile& profile, NodeId node) {
  NodeId below = node;
  for (NodeId up = profile.node(below).parent; up && up != profile.root();
       up = profile.node(up).parent)
    below = up;
  const FrameId id = profile.node(below).frame;
  if (!id || profile.frame(id).kind != FrameKind::kProcess || !profile.frame(id).function)
    return {};
  return profile.Text(profile.function(profile.frame(id).function).name);
}

// Returns the reason why samples could not be taken, such as "no room on the stack". `row` is the
// name of a row for time without a stack; if the row has another purpose, returns "".
std::string_view WhyUnseen(std::string_view row) {
  constexpr std::string_view kBegin = "[not sampled: ";
  if (!row.starts_with(kBegin) || !row.ends_with("]")) return {};
  return row.substr(kBegin.size(), row.size() - kBegin.size() - 1);
}

// Returns the self time in native code without a name. Used if the recorder has no counter for it.
int64_t NamelessTime(const Profile& profile, MetricId metric) {
  const UnderPython under(profile);
  int64_t sum = 0;
  for (const Value& value : profile.values) {
    if (value.metric != metric || !value.node) continue;
    const NodeId node = CodeOf(profile, value.node);
    const FrameId id = profile.node(node).frame;
    if (!id) continue;
    const Frame& frame = profile.frame(id);
    const bool code = frame.kind == FrameKind::kNative || frame.kind == FrameKind::kUnknown;
    if (code && !frame.function && !under.Interprets(node, frame))
      sum = AddSaturated(sum, value.self);
  }
  return sum;
}

void AssessUnseen(const Profile& profile, MetricId metric, DataQuality& quality) {
  const bool has_threads_without_room = Counter(profile, "threads_without_ring").value_or(0) > 0;
  int64_t outside = 0;
  std::map<std::string_view, int64_t> times;
  for (const Value& value : profile.values) {
    if (value.metric != metric || !value.node) continue;
    const std::string_view row = ProcessRow(profile, value.node);
    if (row == "[outside of sampled threads]") outside = AddSaturated(outside, value.self);
    const std::string_view why = WhyUnseen(row);
    if (why.empty()) continue;
    times[why] = AddSaturated(times[why], value.self);
    quality.unseen = AddSaturated(quality.unseen, value.self);
  }
  // `outside` also contains the first and last moments of every thread. These alone are small, so
  // only a large amount is reported.
  if (has_threads_without_room || Share(outside, quality.measured) > kMaxOutside) {
    times[has_threads_without_room ? "more than 4,096 threads" : "outside of sampled threads"] =
        outside;
    quality.unseen = AddSaturated(quality.unseen, outside);
  }
  int64_t most = 0;
  for (const auto& [why, ns] : times) {
    if (ns > std::exchange(most, std::max(most, ns))) quality.why_unseen = why;
  }
}

// Returns the sum of the lifetimes of all threads within the recorded window, in wall-clock time.
int64_t LivedTime(const Profile& profile) {
  using Limits = std::numeric_limits<int64_t>;
  const int64_t end = MetaNumber(profile, "duration_ns");
  const int64_t window_begin = MetaNumber(profile, "window_begin_ns", Limits::min());
  const int64_t window_end = MetaNumber(profile, "window_end_ns", Limits::max());
  int64_t sum = 0;
  for (const Thread& thread : profile.threads) {
    const int64_t last = std::min(thread.end > 0 ? thread.end : end, window_end);
    const int64_t first = std::max(thread.start, window_begin);
    int64_t lived = 0;
    if (!__builtin_sub_overflow(last, first, &lived) && lived > 0) {
      sum = AddSaturated(sum, lived);
    }
  }
  return sum;
}

double Rate(const Profile& profile, const char* name) {
  return strtod(std::string(MetaText(profile, name)).c_str(), nullptr);
}

// True if the reached rate is less than kMinRate of the requested one. If the overhead budget
// lowered the rate, the lowered rate counts as requested.
bool IsLowRate(const DataQuality& quality) {
  const double wanted = quality.rate_asked_hz / static_cast<double>(quality.periods);
  return wanted > 0 && quality.rate_reached_hz > 0 && quality.rate_reached_hz < kMinRate * wanted;
}

std::vector<Flaw> Judge(const DataQuality& quality) {
  std::vector<Flaw> flaws;
  const auto add = [&](bool holds, Flaw flaw) {
    if (holds) flaws.push_back(flaw);
  };
  const int64_t measured = quality.measured, rest = quality.unexplained();
  add(!quality.complete, Flaw::kUnfinished);
  add(!quality.has_threads && quality.not_sampled > 0, Flaw::kNothingSampled);
  add(measured <= 0 && quality.accounted > 0, Flaw::kNoThreadClocks);
  add(Share(quality.lost, measured) > kMaxLost, Flaw::kLost);
  // Too much accounted time is as wrong as too little.
  if (measured > 0 &&
      std::fabs(static_cast<double>(rest)) > kMaxUnexplained * static_cast<double>(measured)) {
    add(true, rest >= 0 ? Flaw::kUnexplained : Flaw::kTooMuch);
  }
  add(Share(quality.unsampled, AddSaturated(measured, quality.unsampled)) > kMaxUnexplained,
      Flaw::kNotSampled);
  add(Share(quality.unseen, measured) > kMaxUnexplained, Flaw::kUnseen);
  add(Share(quality.truncated, quality.samples) > kMaxBrokenStacks, Flaw::kTruncated);
  add(Share(quality.python_broken, quality.samples) > kMaxBrokenStacks, Flaw::kPythonMissing);
  // In wall clock mode, the rate means nothing, because most probes of a thread are counted without
  // taking a sample.
  add(!quality.wall_clock && IsLowRate(quality), Flaw::kLowRate);
  return flaws;
}

void JudgeGpu(const GpuQuality& gpu, std::vector<Flaw>& flaws) {
  const auto dropped = static_cast<double>(gpu.pc_dropped);
  const double all = dropped + static_cast<double>(gpu.pc_received);
  if (dropped > kMaxPcDropped * all) flaws.push_back(Flaw::kPcDropped);
  if (gpu.pc_buffer_full > 0) flaws.push_back(Flaw::kPcBufferFull);
  const auto judge = [&](int64_t lost, int64_t whole, Flaw flaw) {
    if (Share(lost, std::max(lost, whole)) > kMaxLost) flaws.push_back(flaw);
  };
  judge(gpu.launches_lost, gpu.launches, Flaw::kLaunchesLost);
  const int64_t records = std::max<int64_t>(gpu.records, 0);
  const int64_t dropped_records = gpu.work_records_dropped();
  judge(dropped_records, AddSaturated(records, dropped_records), Flaw::kRecordsDropped);
  judge(gpu.stream_full, AddSaturated(records, gpu.stream_full), Flaw::kGpuStreamFull);
}

}  // namespace

int64_t DataQuality::unexplained() const {
  int64_t rest = 0;
  if (__builtin_sub_overflow(measured, accounted, &rest) ||
      __builtin_sub_overflow(rest, lost, &rest)) {
    return std::numeric_limits<int64_t>::max();
  }
  return rest;
}

DataQuality AssessQuality(const Profile& profile, const GpuQuality& gpu) {
  DataQuality quality;
  const bool wall = MetaText(profile, "clock") == "wall";
  quality.wall_clock = wall;
  const MetricId metric = profile.FindMetric(wall ? "wall" : "cpu");
  int64_t thread_cpu = 0, thread_lost = 0;
  for (const Thread& thread : profile.threads) {
    thread_cpu = AddSaturated(thread_cpu, thread.cpu_ns);
    thread_lost = AddSaturated(thread_lost, thread.lost_ns);
  }
  quality.measured =
      wall ? LivedTime(profile) : Counter(profile, "cpu_measured_ns").value_or(thread_cpu);
  quality.accounted =
      CounterOr(profile, "cpu_accounted_ns", [&] { return MetricSum(profile, metric); });
  quality.lost = Counter(profile, "lost_ns").value_or(thread_lost);
  quality.unsymbolized =
      CounterOr(profile, "unsymbolized_ns", [&] { return NamelessTime(profile, metric); });
  if (!wall) AssessUnseen(profile, metric, quality);
  quality.profiling = Counter(profile, "profiling_ns").value_or(0);
  quality.samples = CounterOr(profile, "samples",
                              [&] { return MetricSum(profile, profile.FindMetric("samples")); });
  quality.truncated = Counter(profile, "truncated_stacks").value_or(0);
  if (quality.truncated > 0) quality.culprits = FindCulprits(profile);
  quality.python_broken = AddSaturated(Counter(profile, "python_torn").value_or(0),
                                       Counter(profile, "python_missing").value_or(0));
  quality.overhead_known = Counter(profile, "handler_total_ns").has_value();
  for (const char* part :
       {"handler_total_ns", "sample_interrupts_ns", "own_cpu_ns", "thread_own_ns"})
    quality.overhead = AddSaturated(quality.overhead, Counter(profile, part).value_or(0));
  quality.own_cost = OwnCostFiguresOf(profile);
  quality.unsampled = wall ? 0 : Counter(profile, "cpu_not_sampled_ns").value_or(0);
  quality.complete = MetaText(profile, "complete") == "yes";
  quality.not_sampled = Counter(profile, "not_sampled").value_or(0);
  quality.has_threads = !profile.threads.empty();
  quality.not_sampled_text = MetaText(profile, "not_sampled");

  std::string_view problems = MetaText(profile, "problems");
  while (!problems.empty()) {
    const size_t end = problems.find('\n');
    if (end != 0) quality.problems.emplace_back(problems.substr(0, end));
    problems.remove_prefix(end == std::string_view::npos ? problems.size() : end + 1);
  }
  quality.periods = std::max<int64_t>(Counter(profile, "sparse_samples_periods").value_or(1), 1);
  quality.rate_asked_hz = Rate(profile, "rate_asked_hz");
  quality.rate_reached_hz = Rate(profile, "rate_reached_hz");
  // For a trace of another tool, the numbers from which flaws are judged are unknown.
  if (!MetaText(profile, "imported_from").empty()) return quality;
  quality.flaws = Judge(quality);
  JudgeGpu(gpu, quality.flaws);
  return quality;
}

}  // namespace gprofx
