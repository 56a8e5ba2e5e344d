// Findings as a whole: what they share, what is looked at, and what is no reason to fail.
#include "core/findings/findings.h"

#include <catch2/catch.hpp>
#include <set>

#include "seeded_program.h"

namespace gprofx::testing {
using namespace gprofx::findings;
using namespace gprofx::analyses;

TEST_CASE("a program that the GPU limits has no findings") {
  const Run run = Make([](ProgramMaker& make, bool) { Busy(make, 5'000'000); }, false);
  CHECK(run.report.rows.empty());
  CHECK(run.report.reason.empty());
}

TEST_CASE("findings on the same gap share it") {
  const Run run = Make(
      [](ProgramMaker& make, bool) {
        Busy(make, 1'000'000);
        make.Wait(make.Line(3));
        make.Host(500'000, make.Line(4));
        make.Call(make.Line(5), "cuMemFree", 500'000);
        make.Call(make.Line(6), "cuMemAlloc", 500'000);
        make.Wait(make.Line(7));
      },
      true);
  CHECK(run.report.rows.size() >= 2);
  CHECK(Sum(run.report) <= run.report.idle_ns + 1000);
}

TEST_CASE("first steps that took most of the time are told where they are left out") {
  const auto make_run = [](int64_t slow_ns) {
    ProgramMaker make;
    make.warm_up = 10;
    for (int i = 0; i < 30; ++i) {
      make.Step();
      Busy(make, 1'000'000);
      if (i < 10) make.Off(slow_ns);
      make.Wait(make.Line(1));
    }
    return make.Find();
  };
  const FindingReport slow = make_run(20'000'000), fast = make_run(1'000'000);
  CHECK(slow.warm_up.steps == 10);
  CHECK(slow.warm_up.step_ns == Approx(20'100'000).epsilon(0.02));
  CHECK(slow.warm_up.share == Approx(201. / 222).epsilon(0.02));
  CHECK(slow.steps == 20);
  CHECK(fast.warm_up.steps == 0);
}

TEST_CASE("records of a part of the time stand for all of it") {
  ProgramMaker part, whole;
  part.traced = 0.3;
  for (ProgramMaker* make : {&part, &whole}) {
    for (int i = 0; i < 50; ++i) {
      make->Step();
      Busy(*make, 1'000'000);
      make->Wait(make->Line(7));
      make->Host(500'000, make->Line(8));
    }
  }
  const FindingReport some = part.Find(), all = whole.Find();
  const Inefficiency* row = FindRow(some, "sync-in-step");
  const Inefficiency* truth = FindRow(all, "sync-in-step");
  REQUIRE(row != nullptr);
  REQUIRE(truth != nullptr);
  CHECK(row->saving_ns == Approx(truth->saving_ns).epsilon(0.1));
  CHECK(some.step_ns == Approx(all.step_ns).epsilon(0.1));
}

TEST_CASE("without a GPU, and without steps") {
  const Profile profile;
  const GpuWorkEvents work;
  const FindingReport none = FindInefficiencies(AnalysisContext(profile, work, "run"), {});
  CHECK(none.rows.empty());
  CHECK(none.reason == "no GPU work is in this profile");

  ProgramMaker make;
  for (int i = 0; i < 50; ++i) {
    Busy(make, 100'000);
    make.Wait(make.Line(7));
    make.Host(400'000, make.Line(8));
  }
  const FindingReport whole = make.Find();
  CHECK(whole.steps == 0);
  CHECK_FALSE(whole.rows.empty());
  CHECK(Sum(whole) <= whole.step_ns);
}

TEST_CASE("times that cannot be are no reason to fail") {
  ProgramMaker make;
  for (int i = 0; i < 10; ++i) {
    make.Step();
    Busy(make, 1'000'000);
    make.Call(make.Line(3), "cuMemAlloc", int64_t{1} << 58);
    make.Call(make.Line(3), "cuMemFree", int64_t{1} << 58);
    make.Wait(make.Line(7));
  }
  CHECK_FALSE(make.Find().reason.empty());
}

TEST_CASE("what lies before, behind and long between steps is no step's time") {
  for (const bool traced : {false, true}) {
    ProgramMaker make;
    make.whole = true;
    if (traced) make.traced = 0.999;
    for (int i = 0; i < 3; ++i) {  // start-up
      make.Kernel(make.Line(20), kGemm, 1'000'000);
      make.Wait(make.Line(20));
      make.Off(500'000'000);
    }
    for (int i = 0; i < kSteps; ++i) {
      if (i == 10) {
        make.Kernel(make.Line(30), kGemm, 4'000'000);  // an evaluation
        make.Wait(make.Line(30));
        make.Off(5'000'000'000);
      }
      make.Off(1'000'000);  // a loader, which is not in the marked steps
      make.Step();
      Busy(make, 9'000'000);
      make.Wait(make.Line(7));
      make.EndStep();
    }
    if (!traced) make.Off(3'000'000'000);
    const FindingReport report = make.Find();
    INFO(report.step_ns << " ns, traced " << traced);
    CHECK(report.reason.empty());
    CHECK(report.steps >= kSteps - 1);
    CHECK(report.step_ns == Approx(10'000'000).epsilon(0.1));
    CHECK(report.idle_ns < 1'500'000);
  }
}

// Time of the CPU, so that a loaded machine changes little: with a look at all events for each of
// them it is minutes, and without it less than a second.

TEST_CASE("every rule has its words") {
  CHECK(FindingRules().size() == 18);
  std::set<std::string> ids;
  for (const FindingRule& rule : FindingRules()) {
    CHECK(ids.insert(rule.id).second);
    CHECK_FALSE(std::string(rule.title).empty());
    CHECK_FALSE(std::string(rule.advice).empty());
  }
  CHECK_FALSE(RulesLeftOut().empty());
}

TEST_CASE("of steps with very much work the middle ones are looked at") {
  ProgramMaker program;
  constexpr int kMany = 30, kKernels = 10'000;
  for (int step = 0; step < kMany; ++step) {
    program.Step();
    for (int i = 0; i < kKernels; ++i) {
      program.Host(10'000, program.Line(7));
      program.Kernel(program.Line(8), "small_kernel", 1'000);
    }
  }
  program.EndStep();
  const FindingReport report = program.Find();
  CHECK(report.steps == 15);  // with 150,000 operations
  CHECK(report.step_ns > 90'000'000);
  CHECK(!report.rows.empty());
}

}  // namespace gprofx::testing
