// Verdicts on jobs whose truth is known.
#include "core/compare/compare.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <vector>

namespace gprofx::compare {
namespace {

constexpr size_t kSubjects = 60, kChanged = 3;

struct Job {
  Series total;
  std::vector<Series> subjects;
};

// `noise` of each subject in each run; `machine`: what both runs of a pair share.
Job MakeJob(unsigned seed, size_t pairs, double slower, double everything = 0,
            double noise = 0.01) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Job job;
  job.subjects.resize(kSubjects);
  for (size_t pair = 0; pair < pairs; ++pair) {
    const double machine = 0.2 * normal(random);
    for (const bool head : {false, true}) {
      double sum = 0;
      for (size_t i = 0; i < kSubjects; ++i) {
        double value = std::exp(machine + noise * normal(random)) / static_cast<double>(i + 1);
        if (head && i == kChanged) value *= 1 + slower;
        if (head) value *= 1 + everything;
        Series& series = job.subjects[i];
        (head ? series.head : series.base).push_back(value);
        sum += value;
      }
      (head ? job.total.head : job.total.base).push_back(sum);
    }
  }
  return job;
}

Comparison Ask(const Job& job, const Settings& settings = {}) {
  return Compare(job.total, job.subjects, settings);
}

}  // namespace

TEST_CASE("five pairs find the function that got slower, on a machine that wanders by 20 %") {
  int found = 0, innocent = 0;
  for (unsigned seed = 0; seed < 50; ++seed) {
    const Comparison comparison = Ask(MakeJob(seed, 5, 0.10));
    for (size_t i = 0; i < kSubjects; ++i) {
      if (comparison.subjects[i].verdict != Verdict::kRegression) continue;
      (i == kChanged ? found : innocent) += 1;
    }
    const Outcome& changed = comparison.subjects[kChanged];
    CHECK(changed.estimate.effect == Approx(std::log(1.10)).margin(0.03));
    CHECK(changed.interval.low < changed.estimate.effect);
  }
  CHECK(found >= 48);
  CHECK(innocent <= 2);
}

TEST_CASE("what got faster is an improvement, what did not change is equivalent") {
  const Comparison comparison = Ask(MakeJob(1, 20, -0.2));
  CHECK(comparison.subjects[kChanged].verdict == Verdict::kImprovement);
  int equivalent = 0;
  for (const Outcome& outcome : comparison.subjects) {
    equivalent += outcome.verdict == Verdict::kEquivalent;
  }
  CHECK(equivalent >= 40);
}

TEST_CASE("a change of everything is told apart and blames no function") {
  const Comparison comparison = Ask(MakeJob(2, 10, 0, 0.3));
  CHECK(comparison.global == Approx(std::log(1.3)).margin(0.01));
  CHECK(comparison.total.verdict == Verdict::kRegression);
  for (const Outcome& outcome : comparison.subjects) {
    CHECK(outcome.verdict != Verdict::kRegression);
  }
}

TEST_CASE("without pairs the machine hides what pairs show") {
  const Job job = MakeJob(3, 8, 0.10);
  CHECK(Ask(job).subjects[kChanged].verdict == Verdict::kRegression);
  Settings unpaired;
  unpaired.paired = false;
  const Outcome outcome = Ask(job, unpaired).subjects[kChanged];
  CHECK(outcome.verdict == Verdict::kInconclusive);
  CHECK(outcome.detectable > Ask(job).subjects[kChanged].detectable);
}

TEST_CASE("one run of each is no evidence, whatever it shows") {
  const Comparison comparison = Ask(MakeJob(4, 1, 3.0));
  CHECK(comparison.total.verdict == Verdict::kInconclusive);
  for (const Outcome& outcome : comparison.subjects) {
    CHECK(outcome.verdict == Verdict::kInconclusive);
  }
}

TEST_CASE("small subjects and those that one side lacks are not tested") {
  Job job = MakeJob(5, 5, 0.5);
  job.subjects[0].head.assign(5, 0.0);
  Settings settings;
  settings.least_share = 0.1;
  const Comparison comparison = Ask(job, settings);
  CHECK_FALSE(comparison.subjects[0].tested);
  CHECK(comparison.subjects[0].head == 0);
  CHECK_FALSE(comparison.subjects[kSubjects - 1].tested);
  CHECK(comparison.subjects[1].tested);
}

TEST_CASE("few samples are less evidence than many") {
  Job job = MakeJob(6, 5, 0.10, 0, 0.001);
  const double exact = Ask(job).subjects[kChanged].estimate.error;
  std::mt19937_64 random(6);
  for (Series& series : job.subjects) {
    for (auto [values, samples] : {std::pair(&series.base, &series.base_samples),
                                   std::pair(&series.head, &series.head_samples)}) {
      for (double& value : *values) {
        const double expected = value * 400;
        const auto seen = static_cast<double>(std::poisson_distribution<int>(expected)(random));
        value *= seen / expected;
        samples->push_back(seen);
      }
    }
  }
  CHECK(Ask(job).subjects[kChanged].estimate.error > 5 * exact);
}

TEST_CASE("an effect that was not found says how many pairs would find it") {
  const Settings settings;
  const Comparison comparison = Ask(MakeJob(7, 5, 0.04, 0, 0.03));
  const Outcome& outcome = comparison.subjects[kChanged];
  REQUIRE(outcome.verdict == Verdict::kInconclusive);
  CHECK(outcome.detectable > 0.04);
  const int pairs = PairsFor(outcome, 0.04, 5, settings);
  CHECK(pairs > 5);
  CHECK(pairs < 100);
  CHECK(PairsFor(outcome, 0.01, 5, settings) == 0);  // below the least effect no number helps
  CHECK(PairsFor(outcome, 1.0, 5, settings) == 5);
}

}  // namespace gprofx::compare
