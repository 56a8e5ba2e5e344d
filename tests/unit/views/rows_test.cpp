// Recursion counts once: the total of a row is the time of the stacks that it is on.
#include "core/views/rows.h"

#include <catch2/catch.hpp>

#include "core/model/totals.h"
#include "sample_profile.h"
#include "tests/unit/core/random_profile.h"

namespace gprofx::testing {
namespace {

CallTree WholeTree(const Profile& profile) {
  return BuildCallTree(profile, profile.FindMetric("cpu"), KeptStacks(profile, {}), true);
}

}  // namespace

TEST_CASE("recursion_counted_once") {
  ProfileMaker make;
  Profile& profile = make.profile;
  const ThreadId thread = make.AddThread(1, 1, "p", "t");
  const MetricId cpu = profile.FindMetric("cpu");
  const ModuleId module = make.AddModule("/lib/m.so", 0);
  const FrameId f = make.Native("f", module), g = make.Native("g", module);  // f -> g -> f -> f
  const NodeId outer = profile.Child(profile.root(), f);
  const NodeId inner = profile.Child(profile.Child(outer, g), f);
  profile.AddSelf(outer, thread, cpu, 1);
  profile.AddSelf(inner, thread, cpu, 10);
  profile.AddSelf(profile.Child(inner, f), thread, cpu, 100);
  profile.AddSelf(profile.Child(profile.root(), g), thread, cpu, 1000);
  const CallTree tree = WholeTree(profile);
  const Groups groups = GroupNodes(profile, tree, By::kFunction);
  const std::vector<Row> rows = FlatRows(profile, tree, groups);
  REQUIRE(rows.size() == 2);
  CHECK(LabelOf(profile, groups, rows[0].group).name == "g");
  CHECK(rows[0].self == 1000);
  CHECK(rows[0].total == 1110);
  CHECK(rows[1].self == 111);
  CHECK(rows[1].total == 111);
}

TEST_CASE("totals of rows agree with a walk up every path") {
  const Profile profile = test::RandomProfile(11, 800);
  const std::vector<int64_t> self = SelfByNode(profile, profile.FindMetric("cpu"));
  const CallTree tree = WholeTree(profile);
  for (const By by : {By::kFunction, By::kLine, By::kModule, By::kSourceLine}) {
    const Groups groups = GroupNodes(profile, tree, by);
    // Nothing is folded, so that a node of the view is that of the profile.
    REQUIRE(tree.nodes.size() == profile.nodes.size());
    std::vector<int64_t> expected(groups.first.size() + 1), own(expected.size());
    for (size_t i = 0; i < tree.nodes.size(); ++i) {
      own[groups.of_node[i]] += tree.nodes[i].self;
      std::vector<bool> seen(expected.size());
      for (size_t at = i; at != 0; at = tree.nodes[at].parent) {
        const uint32_t group = groups.of_node[at];
        if (group == 0 || seen[group]) continue;
        seen[group] = true;
        expected[group] += tree.nodes[i].self;
      }
    }
    expected[0] = own[0];  // of no group: only what is its own
    int64_t sum = 0;
    for (const Row& row : FlatRows(profile, tree, groups)) {
      CHECK(row.total == expected[row.group]);
      CHECK(row.self == own[row.group]);
      sum += row.self;
    }
    CHECK(sum == InclusiveByNode(profile, self)[0]);
  }
}

TEST_CASE("the time of code without a line goes to the nearest line above") {
  ProfileMaker make;
  const ThreadId thread = make.AddThread(1, 1, "p", "t");
  const FrameId line = make.Python("f", "/f.py", 7, 1);
  const FrameId none = make.Nameless(make.AddModule("/lib/m.so", 0), 8);
  make.Add(thread, {line, none}, 3);
  make.Add(thread, {none}, 2);
  const CallTree tree = WholeTree(make.profile);
  const Groups groups = GroupNodes(make.profile, tree, By::kSourceLine);
  const std::vector<Row> rows = FlatRows(make.profile, tree, groups);
  REQUIRE(rows.size() == 2);
  CHECK(LabelOf(make.profile, groups, rows[0].group).line == 7);
  CHECK(rows[0].self_samples == 3);
  CHECK(LabelOf(make.profile, groups, rows[1].group).name == "[no line]");
  CHECK(rows[1].self_samples == 2);
}

}  // namespace gprofx::testing
