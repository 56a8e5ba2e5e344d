#include "samplers/collector/residual.h"

#include <catch2/catch.hpp>
#include <numeric>

namespace gprofx {
namespace {

int64_t Sum(const std::vector<std::pair<NodeId, int64_t>>& parts) {
  return std::accumulate(parts.begin(), parts.end(), int64_t{0},
                         [](int64_t sum, const auto& part) { return sum + part.second; });
}

TEST_CASE("A thread's rest goes to its latest samples by weight, to the nanosecond") {
  RecentSamples recent;
  recent.Add(NodeId{7}, 100);  // forgotten: sixteen came after it
  for (uint32_t i = 0; i < 16; ++i) recent.Add(NodeId{i % 2 + 1}, i % 2 == 0 ? 300 : 100);
  const auto parts = recent.Spread(1001);
  REQUIRE(parts.size() == 2);
  CHECK(Sum(parts) == 1001);
  for (const auto& [node, ns] : parts) {
    CHECK(static_cast<double>(ns) == Approx(node == NodeId{1} ? 751 : 250).margin(1));
  }
  CHECK(recent.last() == NodeId{2});
}

TEST_CASE("A negative rest takes no more than the samples weigh") {
  RecentSamples recent;
  recent.Add(NodeId{1}, 100);
  recent.Add(NodeId{2}, 50);
  CHECK(Sum(recent.Spread(-60)) == -60);
  CHECK(Sum(recent.Spread(-1000)) == -150);
  // The newest have given what they had already.
  recent.Empty(1);
  CHECK(recent.Spread(-1000) == std::vector<std::pair<NodeId, int64_t>>{{NodeId{1}, -100}});
  recent.Empty(99);
  CHECK(recent.Spread(-1000).empty());
  RecentSamples weightless;
  weightless.Add(NodeId{3}, 0);
  CHECK(Sum(weightless.Spread(9)) == 9);
  CHECK(weightless.Spread(-9).empty());
}

TEST_CASE("Time of short threads waits for a stack of their own sort") {
  ShortThreads threads;
  const ThreadSort child{StringId{1}, true, true}, program{StringId{1}, true, false};
  threads.Wait(child, ThreadId{1}, 100, 10);
  threads.Wait(child, ThreadId{2}, 200, 20);
  threads.Wait(program, ThreadId{3}, 400, 30);
  const auto met = threads.Meet(child, NodeId{5});
  REQUIRE(met.size() == 2);
  CHECK(met[0].thread == ThreadId{1});
  CHECK((met[1].node == NodeId{5} && met[1].ns == 200 && met[1].end == 20));
  CHECK(threads.Meet(child, NodeId{6}).empty());
  threads.Wait(child, ThreadId{4}, 50, 40);
  const auto rest = threads.Rest();
  REQUIRE(rest.size() == 2);
  for (const auto& time : rest) {
    // The latest stack of the sort; none was ever seen of `program`.
    CHECK(time.node == (time.thread == ThreadId{4} ? NodeId{6} : NodeId{}));
  }
  CHECK(threads.Rest().empty());
}

TEST_CASE("Of a rest, the part within the window counts") {
  const RecordingWindow window{1000, 2000};
  CHECK(window.PartOf(100, 900, 1100) == 50);
  CHECK(window.PartOf(100, 1200, 1300) == 100);
  CHECK(window.PartOf(100, 0, 3000) == 33);
  CHECK(window.PartOf(100, 2100, 2200) == 0);
  CHECK(window.PartOf(100, 0, 900) == 0);
  CHECK(window.PartOf(100, 1500, 1500) == 100);
  CHECK(RecordingWindow{}.PartOf(100, 5, 6) == 100);
  CHECK(window.Within(5) == 1000);
  CHECK(window.Within(5000) == 1999);
}

}  // namespace
}  // namespace gprofx
