// How long the replay of a million kernels takes: building the graph, and each replay of it. Four
// streams, two threads that take turns, a wait in each step of 500 kernels.
//
// usage: bench_replay [KERNELS]
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "core/replay/graph.h"

using namespace gprofx;

namespace {

double Seconds(std::chrono::steady_clock::time_point since) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count();
}

}  // namespace

int main(int argc, char** argv) {
  const int64_t kernels = argc > 1 ? atoll(argv[1]) : 1'000'000;
  Profile profile;
  profile.processes.emplace_back();
  for (int i = 0; i < 2; ++i) profile.threads.push_back({ProcessId{1}, i + 1, {}, 0, 0, 0, 0});
  Function function;
  function.name = profile.Intern("cuStreamSynchronize");
  Frame frame;
  frame.kind = FrameKind::kCudaApi;
  frame.function = profile.Intern(function);
  const NodeId wait = profile.Child(profile.root(), profile.Intern(frame));
  ReplayEvents events;
  ReplayWindow window;
  window.process = ProcessId{1};
  HostNs now = 1000, gpu[4] = {};
  for (int64_t i = 0; i < kernels; ++i) {
    const uint32_t stream = i % 16 == 0 ? static_cast<uint32_t>(1 + i / 16 % 3) : 0;
    ReplayOperation row;
    row.launch = now;
    row.start = std::max(now + 6000, gpu[stream] + 1000);
    row.end = gpu[stream] = row.start + 2000 + i * 7919 % 9000;
    row.thread = ThreadId{i / 250 % 2 == 0 ? 1u : 2u};
    row.stream = GpuStreamId{stream + 1};
    row.node = profile.root();
    events.operations.push_back(row);
    now += 5000;
    if (i % 500 == 0) window.bounds.push_back(row.launch);
    if (i % 500 != 499) continue;
    const HostNs end = std::max({now, gpu[0], gpu[1], gpu[2], gpu[3]}) + 4000;
    events.calls.push_back({now, end, ThreadId{1}, wait, function.name});
    now = end + 1000;
  }
  window.bounds.push_back(now);
  auto begin = std::chrono::steady_clock::now();
  const ReplayGraph graph(profile, events, window);
  const double build = Seconds(begin);
  ReplayModel model;
  begin = std::chrono::steady_clock::now();
  for (const ReplayNode& node : graph.nodes()) model.length.push_back(node.length / 2);
  const ReplayTimes times = graph.Replay(model);
  const std::vector<HostNs> done = graph.StepsDone(model, times);
  const double replay = Seconds(begin);
  printf("%lld kernels: graph of %zu nodes %.3f s, replay %.3f s, together %.3f s\n",
         static_cast<long long>(kernels), graph.nodes().size(), build, replay, build + replay);
  printf("steps of %.3f ms become %.3f ms\n",
         static_cast<double>(now - 1000) / 1e6 / (done.size() - 1.0),
         static_cast<double>(done.back() - done.front()) / 1e6 / (done.size() - 1.0));
  return 0;
}
