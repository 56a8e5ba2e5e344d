// What the replay says when something takes another time.
#include <catch2/catch.hpp>

#include "core/replay/graph.h"
#include "core/replay/threads.h"
#include "made_recording.h"

namespace gprofx::testing {
namespace {

// The begin of an operation in a replay, us; operations by position.
int64_t BeginOf(const ReplayGraph& graph, const ReplayTimes& times, uint32_t operation) {
  for (size_t i = 0; i < graph.nodes().size(); ++i) {
    const ReplayNode& node = graph.nodes()[i];
    if (node.kind == ReplayNode::kOperation && node.event == operation)
      return times.begin[i] / 1000;
  }
  return -1;
}

ReplayModel WithLengths(const ReplayGraph& graph, double factor) {
  ReplayModel model;
  for (const ReplayNode& node : graph.nodes()) {
    model.length.push_back(static_cast<int64_t>(static_cast<double>(node.length) * factor));
  }
  return model;
}

}  // namespace

TEST_CASE("kernels on one stream push each other; on another stream nobody is pushed") {
  MadeRecording made;
  const NodeId kernel = made.Kernel("k", made.Path("step"));
  made.Run(kernel, 10, 16, 100);
  made.Run(kernel, 15, 117, 100);
  made.Run(kernel, 40, 46, 10, 2);
  made.Steps({0, 300});
  const ReplayGraph graph(made.profile, made.events, made.window);
  const ReplayTimes times = graph.Replay(WithLengths(graph, 2));
  CHECK(BeginOf(graph, times, 0) == 16);
  CHECK(BeginOf(graph, times, 1) == 217);
  CHECK(BeginOf(graph, times, 2) == 46);
}

TEST_CASE("a step that the host limits does not get faster with its kernels; one that waits does") {
  MadeRecording made;
  const NodeId path = made.Path("step"), kernel = made.Kernel("k", path);
  made.Run(kernel, 10, 16, 100);
  made.Wait(path, 20, 120);
  made.Run(kernel, 150, 156, 10);
  made.Steps({0, 200});
  const ReplayGraph graph(made.profile, made.events, made.window);
  const ReplayTimes half = graph.Replay(WithLengths(graph, 0.5));
  CHECK(BeginOf(graph, half, 1) == 106);  // the wait ends 50 us earlier
  ReplayModel model = WithLengths(graph, 1);
  model.host_factor = 2;
  CHECK(BeginOf(graph, graph.Replay(model), 1) == 196);  // the wait ends at 130, then 2 x 30 us
}

TEST_CASE("work that begins right after that of another stream waited for it") {
  MadeRecording made;
  const NodeId kernel = made.Kernel("k", made.Path("step"));
  made.Run(kernel, 10, 16, 100);
  made.Run(kernel, 12, 118, 10, 2);
  made.Steps({0, 300});
  const ReplayGraph graph(made.profile, made.events, made.window);
  CHECK(graph.guessed_edges() == 1);
  CHECK(BeginOf(graph, graph.Replay(WithLengths(graph, 2)), 1) == 218);
}

TEST_CASE("no more than 1,024 launches are ahead of a stream") {
  MadeRecording made;
  const NodeId kernel = made.Kernel("k", made.Path("step"));
  for (int64_t i = 0; i < 3000; ++i) made.Run(kernel, 10 + 10 * i, 16 + 10 * i, 5);
  made.Steps({0, 40'000});
  const ReplayGraph graph(made.profile, made.events, made.window);
  const ReplayModel slow = WithLengths(graph, 4);
  const ReplayTimes times = graph.Replay(slow);
  std::vector<HostNs> launches, ends;
  for (size_t i = 0; i < graph.nodes().size(); ++i) {
    const ReplayNode& node = graph.nodes()[i];
    if (node.kind == ReplayNode::kLaunch) launches.push_back(times.begin[i]);
    if (node.kind == ReplayNode::kOperation) ends.push_back(times.begin[i] + slow.length[i]);
  }
  REQUIRE(launches.size() == 3000);
  for (size_t i = 1024; i < launches.size(); ++i) CHECK(launches[i] >= ends[i - 1024]);
  CHECK(launches[2999] > 40'000'000);  // it had to wait
}

TEST_CASE("threads that take turns are one timeline; those that run beside each other are not") {
  MadeRecording made;
  std::vector<ThreadMoment> turns, beside;
  for (HostNs step = 0; step < 10; ++step) {
    for (HostNs i = 0; i < 50; ++i) turns.push_back({step * 1000 + i * 10, ThreadId{1}});
    for (HostNs i = 0; i < 40; ++i) turns.push_back({step * 1000 + 510 + i * 10, ThreadId{2}});
  }
  for (HostNs i = 0; i < 1000; ++i) {
    beside.push_back({i * 10, ThreadId{1}});
    if (i % 7 == 0) beside.push_back({i * 10 + 4, ThreadId{2}});
  }
  CHECK(JoinThreads(made.profile, turns).at(2) == 1);
  CHECK(JoinThreads(made.profile, beside).at(2) == 2);
}

TEST_CASE("a copy of pageable memory keeps its thread until it is done") {
  MadeRecording made;
  const NodeId path = made.Path("step"), kernel = made.Kernel("k", path);
  made.Copy(path, cupti::kHostToDevice, cupti::kPageable, 3, 64 << 20, 10, 20, 1000);
  made.Run(kernel, 1030, 1036, 10);
  made.Steps({0, 1100});
  const ReplayGraph graph(made.profile, made.events, made.window);
  CHECK(graph.calls().size() == 1);
  CHECK(BeginOf(graph, graph.Replay(WithLengths(graph, 0.5)), 1) == 536);
}

TEST_CASE("a call that ends when the next one begins is over before it") {
  // Blocking copies of 50 us without a pause, as clocks that count in microseconds tell them.
  MadeRecording made;
  const NodeId path = made.Path("step");
  for (int64_t i = 0; i < 4; ++i) {
    made.Copy(path, cupti::kHostToDevice, cupti::kPageable, 3, 1 << 20, 100 * i, 100 * i + 10, 80);
    made.Wait(path, 100 * i, 100 * (i + 1));
  }
  made.Steps({0, 400});
  const ReplayGraph graph(made.profile, made.events, made.window);
  ReplayModel model = graph.Unchanged();
  for (int64_t& length : model.length) length /= 2;
  const ReplayTimes times = graph.Replay(model);
  for (uint32_t i = 0; i < 4; ++i) CHECK(BeginOf(graph, times, i) == 60 * i + 10);
}

TEST_CASE("a call that may have been kept by the GPU is, and no longer than that") {
  MadeRecording made;
  const NodeId kernel = made.Kernel("k", made.Path("step"));
  made.Run(kernel, 10, 16, 100);
  made.events.calls.push_back({20'000, 120'000, ThreadId{1}, kernel, {}, ReplayCall::kTakesTime});
  made.Run(kernel, 130, 136, 10);
  made.Steps({0, 200});
  const ReplayGraph graph(made.profile, made.events, made.window);
  REQUIRE(graph.calls().size() == 1);
  CHECK(BeginOf(graph, graph.Replay(WithLengths(graph, 0.5)), 1) == 86);
  ReplayModel gone = graph.Unchanged();
  for (uint32_t i = 0; i < graph.nodes().size(); ++i) {
    if (graph.nodes()[i].kind != ReplayNode::kCallEnd) continue;
    gone.Cut(i, ReplayNode::kCause);
    gone.before[i] = 0;
  }
  CHECK(BeginOf(graph, graph.Replay(gone), 1) == 117);  // behind the first, by the usual gap
}

TEST_CASE("gaps in a queue that a recorder makes are not usual ones") {
  for (const int64_t gap : {1, 17}) {
    MadeRecording made;
    const NodeId kernel = made.Kernel("k", made.Path("step"));
    for (int64_t i = 0; i < 20; ++i) made.Run(kernel, 10 + i, 50 + i * (100 + gap), 100);
    made.Steps({0, 5000});
    const ReplayGraph graph(made.profile, made.events, made.window);
    CHECK(graph.gap() == std::min<int64_t>(gap, 2) * 1000);
  }
}

}  // namespace gprofx::testing
