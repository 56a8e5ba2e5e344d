// Runs made by hand, compared.
#include "core/compare/statistics/confirm.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "gpu_profile.h"
#include "runs.h"

namespace gprofx::compare {

using namespace testing;

TEST_CASE("the slower function is the first row") {
  Work head{Usual()};
  head.functions["f12"] *= 1.2;
  const Diff diff = Compared(Pairs({Usual()}, head));
  CHECK(diff.paired);
  CHECK(diff.verdict == Verdict::kRegression);
  CHECK(diff.functions.front().part.name == "f12");
  CHECK(diff.functions.front().outcome.estimate.effect == Approx(std::log(1.2)).margin(0.03));
  CHECK(diff.counts.empty());
  CHECK(diff.counts_equal == 2);
}

TEST_CASE("nothing changed: no regression") {
  const Diff diff = Compared(Pairs({Usual()}, {Usual()}, 12));
  CHECK(diff.verdict == Verdict::kEquivalent);
  for (const Change& change : diff.functions) {
    CHECK(change.outcome.verdict != Verdict::kRegression);
  }
}

TEST_CASE("time that moved from one function to another is no regression") {
  Work head{Usual()};
  head.functions["f11"] += 1.2;
  head.functions["f10"] -= 1.2;
  const Diff diff = Compared(Pairs({Usual()}, head, 12));
  const Change& taker = ChangeOf(diff, "f11");
  CHECK(taker.outcome.verdict == Verdict::kRegression);
  CHECK(taker.moved);
  CHECK(ChangeOf(diff, "f10").outcome.verdict == Verdict::kImprovement);
  CHECK(diff.verdict != Verdict::kRegression);
}

TEST_CASE("fresh runs tell a change from an accident") {
  Work slower{Usual()}, little{Usual()};
  slower.functions["f12"] *= 1.12;
  little.functions["f12"] *= 1.05;
  const auto look = [](const Work& then, const Work& later) {
    const Sides first = Pairs({Usual()}, then, 4, 2), fresh = Pairs({Usual()}, later, 4, 3);
    Sides all = first;
    all.base.insert(all.base.end(), fresh.base.begin(), fresh.base.end());
    all.head.insert(all.head.end(), fresh.head.begin(), fresh.head.end());
    return Confirmed(Compared(first), Compared(fresh), Compared(all));
  };
  const Diff found = look(slower, slower);
  CHECK(found.verdict == Verdict::kRegression);
  CHECK(found.functions.front().part.name == "f12");
  CHECK(found.base_runs == 8);
  CHECK(look(slower, {Usual()}).verdict != Verdict::kRegression);  // an accident of the first look
  CHECK(look({Usual()}, slower).verdict != Verdict::kRegression);  // what was not asked about
  // What one look must not say, two may.
  CHECK(Compared(Pairs({Usual()}, little, 4, 2)).verdict != Verdict::kRegression);
  CHECK(look(little, little).verdict == Verdict::kRegression);
}

TEST_CASE("a first look that suspects nothing needs no other") {
  Work slower{Usual()};
  slower.functions["f12"] *= 1.12;
  CHECK(NeedsConfirmation(Compared(Pairs({Usual()}, slower))));
  CHECK_FALSE(NeedsConfirmation(Compared(Pairs({Usual()}, {Usual()}))));
  Sides other = Pairs({Usual()}, slower);
  other.head[0].machine["GPUs"] = "H200";
  CHECK_FALSE(NeedsConfirmation(Compared(other)));
}

TEST_CASE("one more launch is seen from one run of each, a count that varies is none") {
  Work head{Usual()};
  head.launches = 101;
  Sides sides = Pairs({Usual()}, head, 1);
  Diff diff = Compared(sides);
  REQUIRE(diff.counts.size() == 1);
  CHECK(diff.counts[0].base == 100);
  CHECK(diff.counts[0].head == 101);
  CHECK(diff.verdict == Verdict::kInconclusive);  // of the times nothing is known
  sides = Pairs({Usual()}, head, 2);
  sides.base[0].counts["threads"] = 5;
  diff = Compared(sides);
  CHECK(diff.counts.size() == 1);
  CHECK(diff.counts_varying == 1);
}

TEST_CASE("other machines, unfinished and lossy recordings are never fine and never worse") {
  Work head{Usual()};
  head.functions["f12"] *= 2;
  const Sides good = Pairs({Usual()}, head);
  const auto verdict = [&](const auto& spoil) {
    Sides sides = good;
    spoil(sides);
    const Diff diff = Compared(sides);
    CHECK(diff.obstacles.size() == 1);
    return diff.verdict;
  };
  CHECK(Compared(good).verdict == Verdict::kRegression);
  CHECK(verdict([](Sides& s) { s.head[2].machine["GPUs"] = "A100"; }) == Verdict::kInconclusive);
  CHECK(verdict([](Sides& s) { s.head[2].machine.erase("GPUs"); }) == Verdict::kInconclusive);
  CHECK(verdict([](Sides& s) { s.base[1].complete = false; }) == Verdict::kInconclusive);
  CHECK(verdict([](Sides& s) { s.head[0].accounted_ns /= 2; }) == Verdict::kInconclusive);
  // Another command is said, and no obstacle: that is what versions are.
  Sides sides = good;
  for (Run& run : sides.head) run.workload["command"] = "train.py --new";
  CHECK(Compared(sides).verdict == Verdict::kRegression);
  CHECK(Compared(sides).differences.size() == 1);
}

TEST_CASE("new, gone and renamed functions") {
  Work base{Usual()}, head{Usual()};
  base.functions["parse_v1"] = 2;
  head.functions["parse_v2"] = 2;
  head.functions["log_everything"] = 4;
  const Diff diff = Compared(Pairs(base, head));
  CHECK(ChangeOf(diff, "parse_v2").fate == Change::kRenamed);
  CHECK(ChangeOf(diff, "parse_v2").other == "parse_v1");
  CHECK(ChangeOf(diff, "log_everything").fate == Change::kNew);
  CHECK(diff.total.verdict == Verdict::kRegression);
  CHECK(diff.functions.front().part.name == "log_everything");  // nothing else explains it
  for (const Change& change : diff.functions) CHECK(change.part.name != "parse_v1");
}

TEST_CASE("what was renamed is compared with what it was, and hides no other change") {
  Work base{Usual()}, head{Usual()};
  base.functions["big_old"] = 10;
  head.functions["big_new"] = 10;
  head.functions["f12"] *= 1.2;
  Diff diff = Compared(Pairs(base, head));
  CHECK(diff.verdict == Verdict::kRegression);
  CHECK(diff.functions.front().part.name == "f12");
  CHECK_FALSE(diff.functions.front().moved);
  CHECK(ChangeOf(diff, "big_new").outcome.tested);
  CHECK(ChangeOf(diff, "big_new").outcome.base == Approx(10 * kSecond).epsilon(0.2));
  head.functions["big_new"] = 11.5;
  diff = Compared(Pairs(base, head, 6, 5));
  CHECK(ChangeOf(diff, "big_new").outcome.verdict == Verdict::kRegression);
}

TEST_CASE("a version that fails is not faster, and a recording twice is no repetition") {
  Work faster{Usual()};
  for (auto& [name, seconds] : faster.functions) seconds /= 2;
  Sides sides = Pairs({Usual()}, faster);
  for (auto* side : {&sides.base, &sides.head}) {
    for (Run& run : *side) run.workload["exit status"] = side == &sides.head ? "1" : "0";
  }
  CHECK(Compared(sides).verdict == Verdict::kInconclusive);
  REQUIRE(Compared(sides).obstacles.size() == 1);
  CHECK(Compared(sides).obstacles[0].what == "exit status");
  for (Run& run : sides.base) run.workload["exit status"] = "1";
  CHECK(Compared(sides).verdict == Verdict::kImprovement);
  sides.head[0].recording = sides.head[1].recording = "one";
  CHECK(Compared(sides).verdict == Verdict::kInconclusive);
}

TEST_CASE("slower rows come first, the others by the size of their change") {
  Work base{Usual()}, head{Usual()};
  base.functions["was_there"] = 0.4;
  head.functions["is_new"] = 0.3;
  head.functions["f10"] *= 1.3;
  const Diff diff = Compared(Pairs(base, head));
  REQUIRE(diff.functions.size() > 3);
  CHECK(diff.functions[0].part.name == "f10");
  CHECK(diff.functions[1].part.name == "was_there");
  CHECK(diff.functions[2].part.name == "is_new");
}

TEST_CASE("an empty side and one without a clock are no crash") {
  CHECK(CompareRuns({}, {}, {}).verdict == Verdict::kInconclusive);
  const std::vector<Run> nothing(3);
  CHECK(CompareRuns(nothing, nothing, {}).verdict == Verdict::kInconclusive);
}

TEST_CASE("a run is what report shows of the profile") {
  const Profile profile = gprofx::testing::GpuProfile();
  RunReader reader(profile);
  reader.TakeWhole();
  EventTable kernels(Stream::kKernels);
  KernelEvent launch;
  launch.config = GpuConfigId{1};
  for (int i = 0; i < 3; ++i) kernels.Append(launch);
  reader.Add(kernels);
  const Run run = reader.Finish();
  double sum = 0, gpu = 0;
  for (const auto& [key, part] : run.functions) sum += part.ns;
  for (const auto& [key, part] : run.kernels) gpu += part.ns;
  CHECK(sum == run.total_ns);
  CHECK(gpu == run.gpu_ns);
  CHECK(run.total_ns > 0);
  CHECK(run.gpu_ns > 0);
  int64_t launches = 0;
  for (const auto& [name, count] : run.counts) {
    if (name.starts_with("launches: ")) launches += count;
  }
  CHECK(launches == 3);
}

}  // namespace gprofx::compare
