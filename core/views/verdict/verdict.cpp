#include "core/views/verdict/verdict.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "core/base/arithmetic.h"

namespace gprofx {
namespace {

// A thread is busy if it has more than 1/20 of its process's time with the GIL.
constexpr int64_t kBusy = 20;

std::vector<int64_t> SumByThread(const Profile& profile, MetricId metric) {
  std::vector<int64_t> sums(profile.threads.size());
  for (const Value& value : profile.values) {
    if (value.metric != metric || !value.thread) continue;
    int64_t& sum = sums[value.thread.index()];
    sum = AddSaturated(sum, value.self);
  }
  return sums;
}

int64_t SumOf(const std::vector<int64_t>& sums) {
  int64_t sum = 0;
  for (const int64_t ns : sums) sum = AddSaturated(sum, ns);
  return sum;
}

std::vector<int64_t> SumByProcess(const Profile& profile, const std::vector<int64_t>& threads) {
  std::vector<int64_t> sums(profile.processes.size());
  for (size_t i = 0; i < threads.size(); ++i) {
    if (!profile.threads[i].process) continue;
    int64_t& sum = sums[profile.threads[i].process.index()];
    sum = AddSaturated(sum, threads[i]);
  }
  return sums;
}

// Finds the process with the most time in `processes`, which must be sorted. Sets nothing if there
// is only one.
void AddLargest(const Profile& profile, const std::vector<int64_t>& threads,
                const std::vector<ProcessId>& processes, TimeVerdict& verdict) {
  if (processes.empty() || processes.front() == processes.back()) return;
  const std::vector<int64_t> sums = SumByProcess(profile, threads);
  verdict.largest = *std::max_element(
      processes.begin(), processes.end(),
      [&](ProcessId a, ProcessId b) { return sums[a.index()] < sums[b.index()]; });
  verdict.largest_ns = sums[verdict.largest.index()];
}

void AddPrograms(const Profile& profile, const std::vector<int64_t>& threads,
                 TimeVerdict& verdict) {
  struct Program {
    int64_t ns = 0;
    std::vector<ProcessId> processes;
  };
  std::map<std::string_view, Program> programs;
  for (size_t i = 0; i < threads.size(); ++i) {
    const ProcessId process = profile.threads[i].process;
    if (!process || threads[i] <= 0) continue;
    Program& program = programs[profile.Text(profile.process(process).name)];
    program.ns = AddSaturated(program.ns, threads[i]);
    program.processes.push_back(process);
  }
  if (profile.processes.size() < 2 || programs.empty()) return;
  auto& [name, most] =
      *std::max_element(programs.begin(), programs.end(),
                        [](const auto& a, const auto& b) { return a.second.ns < b.second.ns; });
  std::sort(most.processes.begin(), most.processes.end());
  AddLargest(profile, threads, most.processes, verdict);
  verdict.program = name;
  verdict.program_ns = most.ns;
  verdict.program_processes = static_cast<size_t>(
      std::unique(most.processes.begin(), most.processes.end()) - most.processes.begin());
}

// Finds the process with the most time with the GIL. Processes are separate, because each has its
// own GIL.
void AddLock(const Profile& profile, TimeVerdict& verdict) {
  const MetricId with = profile.FindMetric("cpu_gil");
  const MetricId cpu = profile.FindMetric("cpu");
  if (!with || !cpu || profile.processes.empty()) return;
  const std::vector<int64_t> held = SumByThread(profile, with);
  const std::vector<int64_t> by_process = SumByProcess(profile, held);
  const auto most = static_cast<size_t>(std::max_element(by_process.begin(), by_process.end()) -
                                        by_process.begin());
  verdict.with_gil_ns = by_process[most];
  verdict.python_cpu_ns = SumByProcess(profile, SumByThread(profile, cpu))[most];
  for (size_t i = 0; i < held.size(); ++i) {
    const ProcessId process = profile.threads[i].process;
    const bool is_busy = held[i] > verdict.with_gil_ns / kBusy;
    if (process && process.index() == most && is_busy) ++verdict.busy_threads;
  }
}

int64_t WaitingTime(const Profile& profile, MetricId metric) {
  int64_t waiting = 0;
  for (const Value& value : profile.values) {
    if (value.metric != metric || !value.node) continue;
    const FrameId frame = profile.node(value.node).frame;
    if (frame && profile.frame(frame).kind == FrameKind::kIdle)
      waiting = AddSaturated(waiting, value.self);
  }
  return waiting;
}

}  // namespace

TimeVerdict MakeVerdict(const Profile& profile, MetricId metric, int64_t whole, int64_t length_ns,
                        const std::optional<Ranks>& ranks) {
  TimeVerdict verdict;
  const std::vector<int64_t> threads = SumByThread(profile, metric);
  verdict.whole = whole;
  verdict.own = HottestOwnFunction(profile, metric);
  verdict.imports = SumImports(profile, metric);
  verdict.length_ns = length_ns;
  if (const MetricId cpu = profile.FindMetric("cpu"))
    verdict.cpu_ns = cpu == metric ? verdict.whole : SumOf(SumByThread(profile, cpu));
  AddPrograms(profile, threads, verdict);
  AddLock(profile, verdict);
  if (ranks && ranks->slowest)
    verdict.late = LargestExcess(profile, metric, *ranks, *ranks->slowest);
  if (profile.metrics[metric.index()].name == "wall")
    verdict.waiting_ns = WaitingTime(profile, metric);
  return verdict;
}

}  // namespace gprofx
