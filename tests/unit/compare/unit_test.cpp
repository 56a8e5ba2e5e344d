// Times per step and per run, and what stands for comparing at all.
#include "core/compare/unit.h"

#include "core/compare/rules/rule_check.h"
#include "runs.h"

namespace gprofx::compare {

using namespace testing;

namespace {

// The same work, in so many steps.
void GiveSteps(Run& run, int64_t steps, double step_ns, StepSource source = StepSource::kMarkers) {
  RunSteps& made = run.steps.emplace();
  made.source = source;
  made.steps = steps;
  made.step_ns = step_ns;
  made.work = static_cast<const WorkDone&>(run);
  for (auto& [name, count] : made.work.counts) count = name == "threads" ? 0 : 7;
  made.work.counts.erase("threads");
}

// `head_steps` of the same steps, so times of the head are as much longer.
Sides InSteps(int64_t base_steps, int64_t head_steps, double slower = 1, int pairs = 8) {
  std::mt19937_64 random(2);
  std::normal_distribution<double> normal;
  const double factor = static_cast<double>(head_steps) / static_cast<double>(base_steps);
  Work head{Usual()};
  for (auto& [name, seconds] : head.functions) seconds *= factor;
  Sides sides = Pairs({Usual()}, head, pairs);
  for (Run& run : sides.base) GiveSteps(run, base_steps, 1e8 * std::exp(0.003 * normal(random)));
  for (Run& run : sides.head) {
    GiveSteps(run, head_steps, slower * 1e8 * std::exp(0.003 * normal(random)));
  }
  return sides;
}

bool HasNote(const Diff& diff, Obstacle::Kind kind) {
  for (const Obstacle& one : diff.differences) {
    if (one.kind == kind) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("a run of 100 steps and one of 120 are equal") {
  const Diff diff = Compared(InSteps(100, 120));
  CHECK(diff.unit == Unit::kStep);
  CHECK(diff.steps.base == std::vector<int64_t>(8, 100));
  CHECK(diff.steps.head == std::vector<int64_t>(8, 120));
  CHECK(diff.verdict == Verdict::kEquivalent);
  CHECK(diff.total.base == Approx(1e8).epsilon(0.01));
  CHECK(diff.counts.empty());
  CHECK(diff.counts_equal == 2);  // launches of a step, threads of a run
  CHECK_FALSE(HasNote(diff, Obstacle::kNoSteps));
  // Told per run the same is slower.
  Sides runs = InSteps(100, 120);
  runs.head[0].steps.reset();
  const Diff per_run = Compared(runs);
  CHECK(per_run.unit == Unit::kRun);
  CHECK(HasNote(per_run, Obstacle::kNoSteps));
  CHECK(per_run.verdict == Verdict::kRegression);
}

TEST_CASE("a slower step is a regression, and a rule about steps says so") {
  const Sides sides = InSteps(100, 120, 1.05);
  Diff diff = Compared(sides);
  CHECK(diff.verdict == Verdict::kRegression);
  CHECK(diff.clock_total.verdict != Verdict::kRegression);
  RuleSet rules;
  REQUIRE_FALSE(AddRule("step>2%", rules));
  REQUIRE_FALSE(AddRule("launches(gemm)/step>0", rules));
  CheckRules(rules, {}, diff);
  CHECK(diff.rules[0].fired);
  CHECK(diff.rules[1].verdict == Verdict::kEquivalent);
  CHECK(diff.rules[1].evidence == "launches per step: 7 -> 7");
}

TEST_CASE("one more launch in each step is seen from one run of each") {
  Sides sides = InSteps(100, 90, 1, 1);
  sides.head[0].steps->work.counts["launches: gemm [8x1x1, 128x1x1]"] = 8;
  const Diff diff = Compared(sides);
  REQUIRE(diff.counts.size() == 1);
  CHECK(diff.counts[0].per_step);
  CHECK(diff.counts[0].head - diff.counts[0].base == 1);
  sides.head[0].steps->work.varying.insert("launches: gemm [8x1x1, 128x1x1]");
  CHECK(Compared(sides).counts.empty());
  CHECK(Compared(sides).counts_varying == 1);
}

TEST_CASE("steps that may not be the same thing are not compared") {
  const auto unit = [](const auto& spoil) {
    Sides sides = InSteps(100, 100);
    spoil(sides);
    const Diff diff = Compared(sides);
    CHECK(HasNote(diff, Obstacle::kNoSteps) == (diff.unit == Unit::kRun));
    return diff.unit;
  };
  CHECK(unit([](Sides&) {}) == Unit::kStep);
  CHECK(unit([](Sides& s) { s.head[3].steps->source = StepSource::kOptimizer; }) == Unit::kRun);
  CHECK(unit([](Sides& s) { s.head[3].steps->steps = 2; }) == Unit::kRun);
  CHECK(unit([](Sides& s) { s.base[3].steps.reset(); }) == Unit::kRun);
  // Half as many of twice the length: by launches that may be a period of two.
  const auto halve = [](Sides& s, StepSource source) {
    for (auto* side : {&s.base, &s.head}) {
      for (Run& run : *side) run.steps->source = source;
    }
    for (Run& run : s.head) {
      run.steps->steps /= 2;
      run.steps->step_ns *= 2;
    }
  };
  CHECK(unit([&](Sides& s) { halve(s, StepSource::kLaunchPeriod); }) == Unit::kRun);
  CHECK(unit([&](Sides& s) { halve(s, StepSource::kMarkers); }) == Unit::kStep);
}

TEST_CASE("what is known of one side only is a note, and so are unequal numbers of runs") {
  Sides sides = Pairs({Usual()}, {Usual()});
  for (Run& run : sides.base) run.machine["CPU"] = "Xeon";
  Diff diff = Compared(sides);
  CHECK(diff.obstacles.empty());
  CHECK(HasNote(diff, Obstacle::kUnknownFact));
  for (Run& run : sides.head) run.machine["CPU"] = "Xeon";
  CHECK_FALSE(HasNote(Compared(sides), Obstacle::kUnknownFact));
  sides.head[2].machine["CPU"] = "EPYC";
  CHECK(Compared(sides).obstacles.size() == 1);
  CHECK(Compared(sides).verdict == Verdict::kInconclusive);
  sides.head[2].machine["CPU"] = "Xeon";
  sides.head.pop_back();
  diff = Compared(sides);
  CHECK_FALSE(diff.paired);
  CHECK(HasNote(diff, Obstacle::kUnpaired));
  sides.head[0].recording = sides.base[0].recording = "one";
  CHECK(Compared(sides).obstacles.size() == 1);
  CHECK(Compared(sides).obstacles[0].kind == Obstacle::kSameFiles);
}

TEST_CASE("a function that takes from another one below the same caller has not become slower") {
  // `outer` calls all; five give a little each, which nobody sees.
  const auto caller = [](Run& run) {
    double sum = 0;
    for (auto& [name, part] : run.functions) {
      part.parent = "outer";
      part.total_ns = part.ns;
      part.total_samples = part.samples;
      sum += part.ns;
    }
    Part& outer = run.functions["outer"];
    outer.kind = FrameKind::kPython;
    outer.name = "outer";
    outer.file = "train.py";
    outer.total_ns = sum;
    outer.total_samples = sum / 1e6;
  };
  Work head{Usual()};
  double given = 0;
  for (int i = 10; i < 15; ++i) {  // no change that is seen
    double& seconds = head.functions["f" + std::to_string(i)];
    given += 0.025 * seconds;
    seconds *= 1 - 0.025;
  }
  head.functions["f25"] += given;
  // The same, and nobody gives.
  Work slower{Usual()};
  slower.functions["f25"] += given;
  int moved = 0, called_slower = 0;
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const auto compared = [&](const Work& changed) {
      Sides sides = Pairs({Usual()}, changed, 24, seed);
      for (auto* side : {&sides.base, &sides.head}) {
        for (Run& run : *side) caller(run);
      }
      return Compared(sides);
    };
    const Diff paid = compared(head);
    CHECK(ChangeOf(paid, "f25").outcome.verdict == Verdict::kRegression);
    moved += ChangeOf(paid, "f25").moved;
    called_slower += paid.verdict == Verdict::kRegression;
    CHECK_FALSE(ChangeOf(compared(slower), "f25").moved);
    CHECK(compared(slower).verdict == Verdict::kRegression);
  }
  // What five of thirty give shifts what changed everywhere, so it cannot always be told.
  CHECK(moved >= 8);
  CHECK(called_slower <= 2);
}

TEST_CASE("what a function takes with all that it calls is told without what changed everywhere") {
  const auto outer = [](double slower, bool paired) {
    Work head{Usual()};
    for (auto& [name, seconds] : head.functions) seconds *= 1.3;  // another day
    Sides sides = Pairs({Usual()}, head, 12);
    for (auto* side : {&sides.base, &sides.head}) {
      for (Run& run : *side) {
        Part& part = run.functions["f12"];
        part.total_ns = part.ns + 0.4 * run.total_ns * (side == &sides.head ? slower : 1);
      }
    }
    Settings settings;
    settings.paired = paired;
    return ChangeOf(CompareRuns(sides.base, sides.head, settings), "f12").inclusive;
  };
  CHECK(outer(1.2, true).verdict == Verdict::kRegression);
  CHECK(outer(1.2, true).estimate.effect == Approx(std::log(1.17)).margin(0.02));
  CHECK(outer(1, true).verdict == Verdict::kEquivalent);
  CHECK(outer(1, false).verdict != Verdict::kRegression);
  CHECK(outer(1, false).interval.low < outer(1, true).interval.low);
}

TEST_CASE("few functions do not tell what changed everywhere, with what they call either") {
  // Nearly all time is in one function, which is slower; the other is noise.
  Sides sides = Pairs({{{"hot", 1.0}, {"start", 0.02}}}, {{{"hot", 1.45}, {"start", 0.02}}}, 5);
  for (auto* side : {&sides.base, &sides.head}) {
    for (Run& run : *side) {
      Part& main = run.functions["main"];
      main.kind = FrameKind::kPython;
      main.name = "main";
      main.file = "train.py";
      main.total_ns = run.functions["hot"].ns;
      main.total_samples = main.total_ns / 1e6;
    }
  }
  const Outcome outcome = ChangeOf(Compared(sides), "main").inclusive;
  CHECK(outcome.verdict == Verdict::kRegression);
  CHECK(outcome.estimate.effect == Approx(std::log(1.45)).margin(0.03));
}

TEST_CASE("one function with nearly all samples does not decide what changed everywhere") {
  Work base, head;
  base.functions["hot"] = 0.92;
  head.functions["hot"] = 0.92 * 1.45;
  for (int i = 0; i < 8; ++i) {
    base.functions["rare" + std::to_string(i)] = head.functions["rare" + std::to_string(i)] = 0.01;
  }
  const Diff diff = Compared(Pairs(base, head, 5));
  CHECK(ChangeOf(diff, "hot").outcome.verdict == Verdict::kRegression);
  CHECK(ChangeOf(diff, "hot").outcome.estimate.effect == Approx(std::log(1.45)).margin(0.06));
}

TEST_CASE("a function that is only inlined now is said to be, and keeps its time") {
  Sides sides = Pairs({Usual()}, {Usual()});
  for (Run& run : sides.head) run.functions["f12"].only_inlined = true;
  CHECK(ChangeOf(Compared(sides), "f12").fate == Change::kInlined);
  CHECK(ChangeOf(Compared(sides), "f13").fate == Change::kThere);
}

TEST_CASE("an estimated time is believed as far as its error goes") {
  const auto kernels = [](double error) {
    Sides sides = Pairs({Usual()}, {Usual()}, 5);
    std::mt19937_64 random(7);
    std::normal_distribution<double> normal;
    for (auto* side : {&sides.base, &sides.head}) {
      for (Run& run : *side) {
        for (int i = 0; i < 12; ++i) {
          Part& part = run.kernels["k" + std::to_string(i)];
          part.kind = FrameKind::kGpuKernel;
          part.name = "k" + std::to_string(i);
          const bool slower = side == &sides.head && i == 3;
          part.ns = 1e8 * (slower ? 1.06 : 1) * std::exp(0.002 * normal(random));
          part.relative_error = error;
          run.gpu_ns += part.ns;
        }
        run.gpu_error = error;
      }
    }
    const Diff diff = Compared(sides);
    for (const Change& change : diff.kernels) {
      if (change.part.name == "k3") return change.outcome;
    }
    return Outcome{};
  };
  CHECK(kernels(0).verdict == Verdict::kRegression);
  CHECK(kernels(0.001).verdict == Verdict::kRegression);
  CHECK(kernels(0.2).estimate.error >= kernels(0).estimate.error);
}

}  // namespace gprofx::compare
