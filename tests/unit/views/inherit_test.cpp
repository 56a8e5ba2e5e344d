// What nodes hand down to their children, and groupings that look upwards.
#include "core/model/inherit.h"

#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "core/views/naming/names.h"
#include "core/views/rows.h"
#include "sample_profile.h"
#include "tests/unit/core/random_profile.h"

namespace gprofx::testing {
namespace {

// The frame of the operator that a node is or lies below: one small function, as a view by
// operator, layer or step would have it.
FrameId OperatorOf(const Profile& profile, FrameId above, FrameId frame) {
  return frame && profile.frame(frame).kind == FrameKind::kOperator ? frame : above;
}

FrameId Operator(ProfileMaker& make, const char* name) {
  Frame frame;
  frame.kind = FrameKind::kOperator;
  frame.function = make.profile.Intern(Function{make.profile.Intern(name)});
  return make.profile.Intern(frame);
}

}  // namespace

TEST_CASE("a node has what its parent hands down and its frame makes of it") {
  const Profile profile = test::RandomProfile(3, 2000);
  const auto depths =
      InheritDown<uint32_t>(profile.nodes, [](uint32_t above, FrameId) { return above + 1; });
  REQUIRE(depths.size() == profile.nodes.size());
  for (size_t i = 0; i < depths.size(); ++i) {
    uint32_t depth = 0;
    for (NodeId at{static_cast<uint32_t>(i + 1)}; at; at = profile.node(at).parent) ++depth;
    REQUIRE(depths[i] == depth);
  }
}

TEST_CASE("a tree that grows between calls has the same properties as one that is there at once") {
  const Profile profile = test::RandomProfile(4, 1000);
  const auto make = [](uint32_t above, FrameId frame) { return above * 31 + frame.value; };
  std::vector<uint32_t> grown;
  for (const size_t size : {size_t{1}, size_t{2}, size_t{400}, size_t{400}, profile.nodes.size()}) {
    const std::vector<Node> nodes(profile.nodes.begin(),
                                  profile.nodes.begin() + static_cast<std::ptrdiff_t>(size));
    ExtendDown(nodes, grown, make);
  }
  CHECK(grown == InheritDown<uint32_t>(profile.nodes, make));
}

TEST_CASE("nothing stands above a node without a parent") {
  const std::vector<Node> nodes = {{NodeId{}, FrameId{1}}, {NodeId{}, FrameId{2}}};
  const auto sums = InheritDown<uint32_t>(
      nodes, [](uint32_t above, FrameId frame) { return above + frame.value; });
  CHECK(sums == std::vector<uint32_t>{1, 2});
}

TEST_CASE("rows by what stands above: the operator of each kernel and of its host time") {
  ProfileMaker make;
  const ThreadId thread = make.AddThread(1, 1, "p", "t");
  const FrameId gemm = Operator(make, "gemm"), relu = Operator(make, "relu");
  const ModuleId library = make.AddModule("/usr/lib/lib.so", 0);
  const FrameId launch = make.Native("launch", library), helper = make.Native("helper", library);
  make.Add(thread, {gemm, launch}, 5);
  make.Add(thread, {gemm, helper, launch}, 7);
  make.Add(thread, {gemm, relu, launch}, 11);  // the innermost counts
  make.Add(thread, {relu, launch, relu, helper}, 13);
  make.Add(thread, {helper}, 17);  // below none
  const Profile& profile = make.profile;
  const CallTree tree =
      BuildCallTree(profile, profile.FindMetric("samples"), KeptStacks(profile, {}), false);

  Groups groups;
  std::map<FrameId, uint32_t> group_of;
  const auto operators = InheritDown<FrameId>(
      tree.nodes, [&](FrameId above, FrameId frame) { return OperatorOf(profile, above, frame); });
  for (const FrameId frame : operators) {
    uint32_t group = 0;
    if (frame) {
      const auto [found, made] = group_of.try_emplace(frame, groups.first.size() + 1);
      if (made) groups.first.push_back(frame);
      group = found->second;
    }
    groups.of_node.push_back(group);
  }

  std::map<std::string, std::pair<int64_t, int64_t>> rows;
  for (const Row& row : FlatRows(profile, tree, groups)) {
    rows[LabelOf(profile, groups, row.group).name] = {row.self, row.total};
  }
  CHECK(rows ==
        std::map<std::string, std::pair<int64_t, int64_t>>{
            {"gemm", {12, 23}}, {"relu", {24, 24}}, {"[outside of any function]", {17, 17}}});
  // The tree of operators: what lies below one of its own class is one node with it.
  const CallTree by_operator = Regroup(tree, groups.of_node);
  CHECK(by_operator.nodes[0].total == 53);
  CHECK(by_operator.nodes[0].self == 17);
}

}  // namespace gprofx::testing
