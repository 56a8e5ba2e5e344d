#include "core/model/profile.h"

#include <catch2/catch.hpp>
#include <limits>

#include "tests/unit/core/random_profile.h"

namespace gprofx {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

TEST_CASE("a new profile is a root and nothing else") {
  Profile profile;
  REQUIRE(profile.nodes.size() == 1);
  CHECK(profile.root() == NodeId{1});
  CHECK_FALSE(profile.node(profile.root()).parent);
  CHECK(profile.frame(profile.node(profile.root()).frame).kind == FrameKind::kRoot);
  CHECK(profile.string_count() == 0);
  CHECK(profile.Text(StringId{}).empty());
}

TEST_CASE("equal content has one id, in order of first appearance") {
  Profile profile;
  CHECK_FALSE(profile.Intern(""));
  CHECK(profile.Intern("a") == StringId{1});
  CHECK(profile.Intern(std::string_view("a\0b", 3)) == StringId{2});
  CHECK(profile.Intern("a") == StringId{1});
  CHECK(profile.Text(StringId{2}).size() == 3);

  Frame frame;
  frame.kind = FrameKind::kNative;
  frame.address = 1;
  const FrameId first = profile.Intern(frame);
  CHECK(profile.Intern(frame) == first);
  frame.address = 2;
  CHECK(profile.Intern(frame) != first);
  const NodeId child = profile.Child(profile.root(), first);
  CHECK(profile.Child(profile.root(), first) == child);
  CHECK(profile.Child(child, first) != child);  // recursion is a deeper node
}

TEST_CASE("texts stay where they are while the profile grows and moves") {
  Profile profile;
  const StringId early = profile.Intern("early");
  const std::string_view view = profile.Text(early);
  profile.Intern(std::string(200000, 'x'));
  for (int i = 0; i < 20000; ++i) profile.Intern("name " + std::to_string(i));
  const Profile moved = std::move(profile);
  CHECK(view == "early");
  CHECK(moved.Text(early).data() == view.data());
  CHECK(moved.Text(StringId{2}).size() == 200000);
  CHECK(moved.Text(StringId{20002}) == "name 19999");
}

TEST_CASE("self values add up per node, thread and metric and never overflow") {
  Profile profile;
  const MetricId cpu = profile.AddMetric("cpu", "ns", MetricKind::kSampled);
  CHECK(profile.AddMetric("cpu", "ns", MetricKind::kSampled) == cpu);
  CHECK(profile.FindMetric("cpu") == cpu);
  CHECK_FALSE(profile.FindMetric("wall"));
  profile.AddSelf(profile.root(), ThreadId{1}, cpu, 5);
  profile.AddSelf(profile.root(), ThreadId{2}, cpu, 7);
  profile.AddSelf(profile.root(), ThreadId{1}, cpu, kMax);
  REQUIRE(profile.values.size() == 2);
  CHECK(profile.values[0].self == kMax);
  CHECK(profile.values[1].self == 7);
}

TEST_CASE("values that were appended by hand are found by AddSelf") {
  Profile profile;
  const MetricId cpu = profile.AddMetric("cpu", "ns", MetricKind::kSampled);
  profile.values.push_back({profile.root(), ThreadId{1}, cpu, 5});
  profile.AddSelf(profile.root(), ThreadId{1}, cpu, 1);
  profile.AddSelf(profile.root(), ThreadId{2}, cpu, 1);
  REQUIRE(profile.values.size() == 2);
  CHECK(profile.values[0].self == 6);
}

TEST_CASE("parents come before children") {
  const Profile profile = test::RandomProfile(1, 5000);
  for (size_t i = 1; i < profile.nodes.size(); ++i) {
    REQUIRE(profile.nodes[i].parent.value >= 1);
    REQUIRE(profile.nodes[i].parent.value <= i);
  }
}

}  // namespace
}  // namespace gprofx
