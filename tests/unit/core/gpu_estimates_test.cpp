#include "core/gpu/gpu_estimates.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "core/gpu/gpu.h"
#include "core/gpu/level_windows.h"
#include "core/slice/part_builder.h"

using namespace gprofx;

namespace {

constexpr ThreadId kThread{1};
constexpr ProcessId kProcess{1};

struct Tree {
  Profile profile;
  void AddWork(GpuEstimates& estimates, NodeId node, NodeId path, uint32_t window, int64_t ns,
               ThreadId thread = kThread, ProcessId process = kProcess) const {
    const GpuEstimates::Place place = {node, path, profile.node(node).frame, thread, process};
    estimates.AddSeen(place, ns, 1);
    estimates.AddSample(place, window, ns);
  }
  NodeId Node(NodeId parent, const char* name) {
    Function function;
    function.name = profile.Intern(name);
    Frame frame;
    frame.function = profile.Intern(function);
    return profile.Child(parent, profile.Intern(frame));
  }
  int64_t Sum(const char* metric, NodeId node) const {
    const MetricId id = profile.FindMetric(metric);
    int64_t sum = 0;
    for (const Value& value : profile.values) {
      if (value.metric == id && value.node == node) sum += value.self;
    }
    return sum;
  }
};

// Does the 95 % interval of what is said of these nodes together hold the truth?
bool Holds(const Tree& tree, const std::vector<NodeId>& nodes, double truth) {
  double estimate = 0, variance = 0;
  for (const NodeId node : nodes) {
    estimate += static_cast<double>(tree.Sum(kMetricGpuEstimated, node));
    variance += std::pow(static_cast<double>(tree.Sum(kMetricGpuError, node)), 2);
  }
  return std::abs(estimate - truth) <= 1.96 * std::sqrt(variance);
}

}  // namespace

TEST_CASE("work of a path stands for all launches of the path") {
  Tree tree;
  Thread thread;
  tree.profile.threads.push_back(thread);
  const NodeId a = tree.Node(tree.profile.root(), "a"), b = tree.Node(tree.profile.root(), "b"),
               never = tree.Node(tree.profile.root(), "never");
  const NodeId kernel_a = tree.Node(a, "kernel"), kernel_b = tree.Node(b, "kernel");
  GpuEstimates estimates;
  for (int i = 0; i < 100; ++i) estimates.AddLaunch(a, kProcess, 1);
  for (int i = 0; i < 10; ++i) estimates.AddLaunch(b, kProcess, 1);
  for (int i = 0; i < 7; ++i) estimates.AddLaunch(never, kProcess, 1);
  for (int i = 0; i < 20; ++i) {
    estimates.AddTraced(a, kProcess, 1);
    tree.AddWork(estimates, kernel_a, a, 1, 1000);
  }
  // Of a graph launch: three records for one launch. It is traced whenever it is launched.
  for (int i = 0; i < 10; ++i) {
    estimates.AddTraced(b, kProcess, 1);
    for (int k = 0; k < 3; ++k) tree.AddWork(estimates, kernel_b, b, 1, 500 + 10 * k);
  }
  estimates.Publish(tree.profile);
  CHECK(tree.Sum(kMetricGpuEstimated, kernel_a) == 100 * 1000);
  CHECK(tree.Sum(kMetricGpuOpsEstimated, kernel_a) == 100);
  CHECK(tree.Sum(kMetricGpuError, kernel_a) == 0);  // all traced runs took the same
  CHECK(tree.Sum(kMetricGpuEstimated, kernel_b) == 10 * (500 + 510 + 520));
  CHECK(tree.Sum(kMetricGpuOpsEstimated, kernel_b) == 30);
  CHECK(tree.Sum(kMetricGpuError, kernel_b) == 0);  // nothing was missed
  CHECK(tree.profile.quality.at("gpu_traced_launches") == 30);
  CHECK(tree.profile.quality.at("gpu_untraced_launches") == 7);
}

TEST_CASE("95 of 100 estimates lie within two standard errors of the truth") {
  std::mt19937 random(5);
  std::lognormal_distribution<double> time(8, 0.5);
  int within = 0;
  constexpr int kTrials = 400;
  for (int trial = 0; trial < kTrials; ++trial) {
    Tree tree;
    tree.profile.threads.emplace_back();
    const NodeId path = tree.Node(tree.profile.root(), "path"), kernel = tree.Node(path, "kernel");
    GpuEstimates estimates;
    double truth = 0;
    for (int i = 0; i < 2000; ++i) {
      const auto ns = static_cast<int64_t>(time(random));
      truth += static_cast<double>(ns);
      estimates.AddLaunch(path, kProcess, 1);
      if (random() % 10 != 0) continue;
      estimates.AddTraced(path, kProcess, 1);
      tree.AddWork(estimates, kernel, path, 1, ns);
    }
    estimates.Publish(tree.profile);
    if (Holds(tree, {kernel}, truth)) ++within;
  }
  CHECK(within > 0.91 * kTrials);
  CHECK(within < 0.99 * kTrials);
}

TEST_CASE("what is alike within a window counts as one look at it, below all paths of a kernel") {
  std::mt19937 random(6);
  std::normal_distribution<double> speed(0, 0.05);
  constexpr int kTrials = 300;
  for (const int paths : {1, 12}) {
    int within = 0;
    for (int trial = 0; trial < kTrials; ++trial) {
      Tree tree;
      tree.profile.threads.emplace_back();
      Function function;
      function.name = tree.profile.Intern("kernel");
      Frame kernel;
      kernel.function = tree.profile.Intern(function);
      std::vector<NodeId> path, node;
      for (int i = 0; i < paths; ++i) {
        path.push_back(tree.Node(tree.profile.root(), ("path" + std::to_string(i)).c_str()));
        node.push_back(tree.profile.Child(path.back(), tree.profile.Intern(kernel)));
      }
      GpuEstimates estimates;
      double truth = 0;
      for (uint32_t window = 1; window <= 60; ++window) {
        const auto ns = static_cast<int64_t>(10'000 * std::exp(speed(random)));
        for (int i = 0; i < 120; ++i) {
          truth += static_cast<double>(ns);
          const NodeId from = path[i % paths];
          estimates.AddLaunch(from, kProcess, window);
          if (window % 2 != 0) continue;
          estimates.AddTraced(from, kProcess, window);
          tree.AddWork(estimates, node[i % paths], from, window, ns);
        }
      }
      estimates.Publish(tree.profile);
      if (Holds(tree, node, truth)) ++within;
    }
    INFO(paths << " paths");
    CHECK(within > 0.9 * kTrials);
    CHECK(within < 0.99 * kTrials);
  }
}

TEST_CASE("a path that takes one of two kernels is unsure of how often it took which") {
  std::mt19937 random(7);
  int within = 0;
  constexpr int kTrials = 400;
  for (int trial = 0; trial < kTrials; ++trial) {
    Tree tree;
    tree.profile.threads.emplace_back();
    const NodeId path = tree.Node(tree.profile.root(), "path"), rare = tree.Node(path, "rare"),
                 usual = tree.Node(path, "usual");
    GpuEstimates estimates;
    double truth = 0;
    for (int i = 0; i < 2000; ++i) {
      const bool is_rare = random() % 5 == 0;
      if (is_rare) truth += 700;
      estimates.AddLaunch(path, kProcess, 1);
      if (random() % 4 != 0) continue;
      estimates.AddTraced(path, kProcess, 1);
      tree.AddWork(estimates, is_rare ? rare : usual, path, 1, is_rare ? 700 : 400);
    }
    estimates.Publish(tree.profile);
    if (Holds(tree, {rare}, truth)) ++within;
  }
  CHECK(within > 0.91 * kTrials);
  CHECK(within < 0.99 * kTrials);
}

TEST_CASE("what a program does at its start stands for nothing later, and no process for another") {
  Tree tree;
  tree.profile.threads.resize(3);
  constexpr ProcessId kOther{2};
  const NodeId path = tree.Node(tree.profile.root(), "path"), kernel = tree.Node(path, "kernel");
  GpuEstimates estimates;
  const auto traced = [&](ThreadId thread, ProcessId process, uint32_t window, int64_t ns) {
    estimates.AddLaunch(path, process, window);
    estimates.AddTraced(path, process, window);
    tree.AddWork(estimates, kernel, path, window, ns, thread, process);
  };
  for (int i = 0; i < 10; ++i) traced(kThread, kProcess, 0, 5000);
  // Threads that are made anew each time stand for each other.
  for (int i = 0; i < 10; ++i) {
    traced(ThreadId{i % 2 == 0 ? 1u : 2u}, kProcess, 2, 1000);
    traced(ThreadId{3}, kOther, 2, 300);
  }
  for (int i = 0; i < 90; ++i) estimates.AddLaunch(path, kProcess, 1);
  for (int i = 0; i < 20; ++i) estimates.AddLaunch(path, kOther, 1);
  estimates.Publish(tree.profile);
  CHECK(tree.Sum(kMetricGpuEstimated, kernel) == 10 * 5000 + 100 * 1000 + 30 * 300);
  CHECK(tree.Sum(kMetricGpuOpsEstimated, kernel) == 140);
  CHECK(tree.Sum(kMetricGpuError, kernel) == 0);
}

TEST_CASE("where no record was made after the start, or only then, that is all there is") {
  for (const uint32_t known : {0u, 2u}) {
    Tree tree;
    tree.profile.threads.emplace_back();
    const NodeId path = tree.Node(tree.profile.root(), "path"), kernel = tree.Node(path, "kernel");
    GpuEstimates estimates;
    estimates.AddLaunch(path, kProcess, known);
    estimates.AddTraced(path, kProcess, known);
    tree.AddWork(estimates, kernel, path, known, 500);
    for (const uint32_t window : {0u, 1u, 2u, 3u}) estimates.AddLaunch(path, kProcess, window);
    estimates.Publish(tree.profile);
    CHECK(tree.Sum(kMetricGpuEstimated, kernel) == 5 * 500);
    CHECK(tree.Sum(kMetricGpuOpsEstimated, kernel) == 5);
    CHECK(tree.Sum(kMetricGpuError, kernel) > 500);
  }
}

TEST_CASE("levels of a process that hardly launches do not count") {
  const ProcessId trains{1}, idles{2}, helps{3};
  const std::vector<LevelWindow> windows = {{0, 100, 9'000, true, false, trains},
                                            {0, 300, 98, true, true, idles},
                                            {100, 200, 900, true, true, trains},
                                            {0, 300, 200, true, true, helps}};
  const std::vector<LevelWindow> found = OfLaunching(windows);
  REQUIRE(found.size() == 3);
  CHECK(found[0].process == trains);
  CHECK(found[1].process == trains);
  CHECK(found[2].process == helps);
  const RecordsMade whole = *RecordsIn(windows, {0, 300});
  CHECK(whole.traced_ns == 400);
  CHECK(whole.counted_ns == 100);
  CHECK(OfLaunching(std::vector<LevelWindow>{{0, 5, 0, true, true, idles}}).size() == 1);
  // Only one that hardly launches has gaps: they are told.
  const std::vector<LevelWindow> gaps = {{0, 300, 9'000, true, true, trains},
                                         {0, 300, 10, true, false, idles}};
  CHECK(RecordsIn(gaps, {0, 300})->counted_ns == 300);
}

TEST_CASE("processes that launch as little as each other all count") {
  std::vector<LevelWindow> windows;
  for (uint32_t i = 0; i < 300; ++i)
    windows.push_back({i, i + 1, 50, true, i % 2 == 0, ProcessId{i + 1}});
  CHECK(OfLaunching(windows).size() == 300);
}
