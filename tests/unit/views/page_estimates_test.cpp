#include "core/views/page/page_estimates.h"

#include <map>
#include <set>

#include <catch2/catch.hpp>
#include "core/gpu/gpu.h"

namespace gprofx {
namespace {

FrameId FrameOf(Profile& profile, FrameKind kind, uint32_t line) {
  Frame frame;
  frame.kind = kind;
  frame.line = line;
  return profile.Intern(frame);
}

// Two processes with one thread each; five times of ten without records in each, by turns with
// others.
struct Recording {
  Recording() {
    for (uint32_t i = 1; i <= 2; ++i) {
      profile.processes.push_back({static_cast<int32_t>(i), 0, profile.Intern("a"), {}});
      profile.threads.push_back({ProcessId{i}, i, profile.Intern("t")});
    }
    for (const char* metric :
         {kMetricGpu, kMetricGpuOps, kMetricGpuEstimated, kMetricGpuOpsEstimated}) {
      profile.AddMetric(metric, "ns", MetricKind::kExact);
    }
    for (uint32_t line = 1; line <= 3; ++line) {
      paths.push_back(profile.Child(profile.root(), FrameOf(profile, FrameKind::kPython, line)));
      kernels.push_back(profile.Child(paths.back(), FrameOf(profile, FrameKind::kGpuKernel, line)));
    }
    tree.node_of.resize(profile.nodes.size(), PageTree::kNowhere);
    for (uint32_t i = 0; i < 2; ++i) tree.node_of[kernels[i].index()] = 10 + i;
    tree.thread_of = {0, 5, 6};
    for (HostNs begin = 0; begin < 100; begin += 10) {
      for (uint32_t process : {1u, 2u}) {
        const bool traced = begin % 20 == 0;
        windows.push_back({begin, begin + 10, traced ? 5 : 10, true, traced, ProcessId{process}});
      }
    }
  }
  void Work(NodeId kernel, ThreadId thread, int64_t recorded, int64_t runs, int64_t times) {
    const auto add = [&](const char* metric, int64_t value) {
      profile.AddSelf(kernel, thread, profile.FindMetric(metric), value);
    };
    add(kMetricGpu, recorded);
    add(kMetricGpuOps, runs);
    add(kMetricGpuEstimated, recorded * times);
    add(kMetricGpuOpsEstimated, runs * times);
  }
  // A launch of the first path each ns, in the first process; of the second one every five, in the
  // other.
  PageEstimates Estimates(PageEstimatesBuilder::Limits limits = {}) const {
    PageEstimatesBuilder builder(profile, windows, limits);
    for (HostNs time = 99; time >= 0; --time) builder.Add({time, ThreadId{1}, paths[0]});
    for (HostNs time = 0; time < 100; time += 5) builder.Add({time, ThreadId{2}, paths[1]});
    builder.Add({13, ThreadId{1}, paths[2]});  // nothing is known of it
    builder.Add({13, ThreadId{}, paths[0]});
    return std::move(builder).Finish(tree);
  }

  Profile profile;
  PageTree tree;
  std::vector<NodeId> paths, kernels;
  std::vector<LevelWindow> windows;
};

}  // namespace

TEST_CASE("what is estimated beside the records is shared out by launches in the times without") {
  Recording recording;
  recording.Work(recording.kernels[0], ThreadId{1}, 100, 50, 2);
  recording.Work(recording.kernels[1], ThreadId{2}, 70, 10, 3);
  recording.Work(recording.kernels[2], ThreadId{2}, 70, 10, 1);  // all of it has records
  const PageEstimates estimates = recording.Estimates();
  REQUIRE(estimates.gaps.size() == 10);
  for (const PageEstimates::Gap& gap : estimates.gaps) {
    CHECK(gap.begin % 20 == 10);
    CHECK(gap.end == gap.begin + 10);
    CHECK(gap.launches == 10);
  }
  REQUIRE(estimates.work.size() == 2);
  CHECK(estimates.work[0].thread == 5);
  CHECK(estimates.work[0].node == 10);
  CHECK(estimates.work[0].ns == 100);
  CHECK(estimates.work[0].runs == 50);
  CHECK(estimates.work[1].node == 11);
  CHECK(estimates.work[1].ns == 140);
  CHECK(estimates.work[1].path != estimates.work[0].path);
  REQUIRE(estimates.launches.size() == 10);
  std::set<uint32_t> groups;
  for (const PageEstimates::Launches& row : estimates.launches) {
    CHECK(row.count == (row.path == estimates.work[0].path ? 10 : 2));
    groups.insert(row.group);
  }
  CHECK(groups.size() == 10);  // no time of one process counts for the other
}

TEST_CASE(
    "times without records are taken together where they are too many, paths where they are") {
  Recording recording;
  recording.Work(recording.kernels[0], ThreadId{1}, 100, 50, 2);
  recording.Work(recording.kernels[1], ThreadId{2}, 70, 10, 3);
  for (const size_t most : {9, 5, 4, 2, 1}) {
    const PageEstimates estimates = recording.Estimates({most, 10});
    CHECK(estimates.launches.size() <= std::max<size_t>(most + 1, 2));
    int64_t sum = 0;
    for (const PageEstimates::Launches& row : estimates.launches) sum += row.count;
    CHECK(sum == 5 * 10 + 5 * 2);
    std::map<uint32_t, int64_t> of_group;
    for (const PageEstimates::Gap& gap : estimates.gaps) of_group[gap.group] += gap.launches;
    for (const PageEstimates::Launches& row : estimates.launches)
      CHECK(of_group.contains(row.group));
  }
  // No path has a number of its own: those of a process have one.
  recording.Work(recording.kernels[2], ThreadId{1}, 70, 10, 3);
  const PageEstimates estimates = recording.Estimates({1000, 0});
  REQUIRE(estimates.work.size() == 2);  // the third one's node is not in the page
  CHECK(estimates.work[0].path != estimates.work[1].path);
  int64_t first = 0;
  for (const PageEstimates::Launches& row : estimates.launches) {
    first += row.path == estimates.work[0].path ? row.count : 0;
  }
  CHECK(first == 50 + 1);
}

TEST_CASE("values that no recording has are no estimate") {
  Recording recording;
  recording.Work(recording.kernels[0], ThreadId{1}, INT64_MIN, INT64_MIN, 1);
  const PageEstimates estimates = recording.Estimates();
  for (const PageEstimates::Work& row : estimates.work) CHECK(row.ns + row.runs >= 0);
}

TEST_CASE(
    "work that a filter takes out of a page is not estimated, nor what is launched between two "
    "windows") {
  Recording recording;
  recording.Work(recording.kernels[0], ThreadId{1}, 100, 50, 2);
  recording.tree.node_of[recording.kernels[0].index()] = PageTree::kNowhere;
  CHECK(recording.Estimates().work.empty());

  recording.windows = {{10, 20, 1, true, false, ProcessId{1}},
                       {30, 40, 1, true, true, ProcessId{1}}};
  PageEstimatesBuilder builder(recording.profile, recording.windows);
  for (const HostNs time : {5, 15, 25, 35, 45})
    builder.Add({time, ThreadId{1}, recording.paths[0]});
  builder.Add({15, ThreadId{2}, recording.paths[1]});  // of a process without windows
  const PageEstimates estimates = std::move(builder).Finish(recording.tree);
  REQUIRE(estimates.launches.size() == 1);
  CHECK(estimates.launches[0].count == 2);  // that between the two stands with the first
}

}  // namespace gprofx
