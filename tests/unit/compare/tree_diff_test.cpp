// Two trees as one: nothing is lost, and stacks meet where their functions do.
#include "core/compare/tree_diff.h"

#include <catch2/catch.hpp>
#include <numeric>
#include <random>

#include "core/compare/key.h"
#include "core/views/call_tree.h"
#include "gpu_profile.h"
#include "sample_profile.h"

namespace gprofx::compare {
namespace {

using testing::ProfileMaker;

int64_t SumOf(const TreeDiff& tree, size_t metric, Side side) {
  const std::vector<int64_t>& self = tree.metrics[metric].self[static_cast<size_t>(side)];
  return std::accumulate(self.begin(), self.end(), int64_t{0});
}

// The self time of the stack that ends in `name`, in milliseconds; -1 where there are none or two.
int64_t SelfOf(const TreeDiff& tree, const std::string& name, Side side) {
  int64_t found = -1;
  for (size_t i = 0; i < tree.nodes.size(); ++i) {
    if (tree.functions[tree.nodes[i].function].name != name) continue;
    if (found >= 0) return -1;
    found = tree.metrics[0].self[static_cast<size_t>(side)][i] / 1'000'000;
  }
  return found;
}

Profile Version(const std::string& folder, uint32_t line, int64_t parse, const char* render) {
  ProfileMaker make;
  const ThreadId thread = make.AddThread(1, 1, "job", "job");
  const std::string file = folder + "/job.py";
  const FrameId main = make.Python("main", file, line + 3, line);
  make.Add(thread, {main, make.Python("parse", file, line + 20, line + 15)}, parse);
  make.Add(thread, {main, make.Python(render, file, line + 40, line + 35)}, 50);
  return std::move(make.profile);
}

}  // namespace

TEST_CASE("functions meet though folders and lines differ") {
  TreeMerge merge;
  merge.Add(Version("/old", 1, 100, "render"), Side::kBase);
  merge.Add(Version("/new", 9, 120, "render"), Side::kHead);
  merge.Add(Version("/new", 9, 140, "render"), Side::kHead);
  const TreeDiff tree = merge.Finish(1000);
  CHECK(tree.nodes.size() == 4);
  CHECK(SelfOf(tree, "parse", Side::kBase) == 100);
  CHECK(SelfOf(tree, "parse", Side::kHead) == 260);
  CHECK(tree.left_out == 0);
  for (const Part& part : tree.functions) {
    if (part.name == "parse") CHECK(part.file == "/new/job.py");
  }
}

TEST_CASE("what was renamed stays one function") {
  const auto key = [](const char* name) { return KeyOf(FrameKind::kPython, name, "job.py", ""); };
  for (const bool told : {false, true}) {
    TreeMerge merge(told ? std::map<std::string, std::string>{{key("render"), key("draw")}}
                         : std::map<std::string, std::string>{});
    merge.Add(Version("", 1, 100, "render"), Side::kBase);
    merge.Add(Version("", 1, 100, "draw"), Side::kHead);
    const TreeDiff tree = merge.Finish(1000);
    CHECK(SelfOf(tree, "draw", Side::kBase) == (told ? 50 : 0));
    CHECK(SelfOf(tree, "draw", Side::kHead) == 50);
    CHECK(SelfOf(tree, "render", Side::kBase) == (told ? -1 : 50));
  }
}

TEST_CASE("the sums of both sides are kept, whatever the budget is") {
  std::mt19937 random(1);
  const auto run = [&] {
    ProfileMaker make;
    const ThreadId thread = make.AddThread(1, 1, "job", "job");
    for (int i = 0; i < 300; ++i) {
      const auto frame = [&] {
        return make.Python("f" + std::to_string(random() % 40), "a.py", 1, 1);
      };
      make.Add(thread, {frame(), frame(), frame()}, 1 + static_cast<int64_t>(random() % 9));
    }
    return std::move(make.profile);
  };
  const Profile base = run(), head = run();
  size_t most_nodes = 0;
  for (const size_t budget : {size_t{0}, size_t{1}, size_t{10}, size_t{100}, size_t{100'000}}) {
    TreeMerge merge;
    merge.Add(base, Side::kBase);
    merge.Add(head, Side::kHead);
    const TreeDiff tree = merge.Finish(budget);
    const auto cpu = base.FindMetric("cpu");
    REQUIRE(cpu);
    CHECK(SumOf(tree, 0, Side::kBase) == MetricSum(base, cpu));
    CHECK(SumOf(tree, 0, Side::kHead) == MetricSum(head, cpu));
    CHECK(tree.nodes.size() <= 2 * budget + 2);  // each that stays may have a rest below it
    CHECK(tree.nodes.size() >= most_nodes);
    most_nodes = tree.nodes.size();
    CHECK((tree.left_out > 0) == (budget < 1000));
    for (size_t i = 1; i < tree.nodes.size(); ++i) CHECK(tree.nodes[i].parent < i);
  }
  CHECK(most_nodes > 300);
}

TEST_CASE("kernels have a metric of their own, hostile names and empty profiles no power") {
  const Profile gpu = testing::GpuProfile();
  TreeMerge merge;
  merge.Add(gpu, Side::kBase);
  merge.Add(gpu, Side::kHead);
  merge.Add(testing::HostileGpuProfile(), Side::kHead);
  merge.Add(testing::HostileProfile(), Side::kBase);
  merge.Add(Profile{}, Side::kHead);
  const TreeDiff tree = merge.Finish(1000);
  REQUIRE(tree.metrics.size() == 2);
  CHECK(tree.metrics[1].name == "gpu");
  CHECK(SumOf(tree, 1, Side::kBase) == MetricSum(gpu, gpu.FindMetric("gpu")));
  CHECK(TreeMerge().Finish(10).nodes.size() == 1);
}

}  // namespace gprofx::compare
