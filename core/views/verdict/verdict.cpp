#include "core/views/verdict/verdict.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "core/base/arithmetic.h"

namespace gprofx {
namespace {

constexpr int64_t kBusy = 20;  // a twentieth

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
  verdict.program = name;
  verdict.program_ns = most.ns;
  verdict.program_processes = static_cast<size_t>(
      std::unique(most.processes.begin(), most.processes.end()) - most.processes.begin());
}

void AddLock(const Profile& profile, TimeVerdict& verdict) {
  const MetricId with = profile.FindMetric("cpu_gil");
  const MetricId cpu = profile.FindMetric("cpu");
  if (!with || !cpu) return;
  const std::vector<int64_t> held = SumByThread(profile, with);
  verdict.with_gil_ns = SumOf(held);
  verdict.busy_threads = static_cast<size_t>(std::count_if(
      held.begin(), held.end(), [&](int64_t ns) { return ns > verdict.with_gil_ns / kBusy; }));
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

TimeVerdict MakeVerdict(const Profile& profile, MetricId metric, int64_t length_ns) {
  TimeVerdict verdict;
  const std::vector<int64_t> threads = SumByThread(profile, metric);
  verdict.whole = SumOf(threads);
  verdict.own = HottestOwnFunction(profile, metric);
  verdict.length_ns = length_ns;
  if (const MetricId cpu = profile.FindMetric("cpu"))
    verdict.cpu_ns = cpu == metric ? verdict.whole : SumOf(SumByThread(profile, cpu));
  AddPrograms(profile, threads, verdict);
  AddLock(profile, verdict);
  if (profile.metrics[metric.index()].name == "wall")
    verdict.waiting_ns = WaitingTime(profile, metric);
  return verdict;
}

}  // namespace gprofx
