#include "core/compare/statistics/rounds.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <vector>

#include "core/compare/per_call.h"

namespace gprofx::compare {
namespace {

struct Machine {  // runs a benchmark; one round in ten is disturbed
  std::mt19937_64 random;
  double noise = 0.02;

  double Round(double effect) {
    std::normal_distribution<double> usual(effect, noise);
    const bool is_disturbed = random() % 10 == 0;
    return is_disturbed ? effect + (usual(random) - effect) * 4 : usual(random);
  }
};

struct Trial {
  double p = 1;
  size_t rounds = 0;
};

// Makes the rounds of one benchmark as a job does.
Trial TrialOf(Machine& machine, double effect, const RoundSettings& settings) {
  std::vector<double> logs;
  RoundTrial trial;
  while (!trial.done) {
    logs.push_back(machine.Round(effect));
    Advance(logs, {}, settings, trial);
  }
  return {trial.p, logs.size()};
}

size_t Alarms(const std::vector<double>& p, const RoundSettings& settings) {
  size_t alarms = 0;
  for (const bool one : Confirmed(p, settings.job_alpha)) alarms += one ? 1 : 0;
  return alarms;
}

}  // namespace

TEST_CASE("jobs of twenty unchanged benchmarks have hardly any alarm, however often they look") {
  const RoundSettings settings;
  Machine machine{std::mt19937_64(5)};
  size_t jobs_with_alarms = 0;
  for (int job = 0; job < 500; ++job) {
    std::vector<double> suspects;
    for (int i = 0; i < 20; ++i) {
      const double p = TrialOf(machine, 0, settings).p;
      if (p < 1) suspects.push_back(p);
    }
    jobs_with_alarms += Alarms(suspects, settings) > 0 ? 1 : 0;
  }
  CHECK(jobs_with_alarms <= 5);  // 1 %
}

TEST_CASE("a benchmark that is 6 % slower is found among noise of 2 %") {
  const RoundSettings settings;
  Machine machine{std::mt19937_64(6)};
  size_t found = 0, rounds = 0;
  for (int job = 0; job < 300; ++job) {
    const Trial trial = TrialOf(machine, 0.06, settings);
    found += Alarms({trial.p}, settings);
    rounds += trial.rounds;
  }
  CHECK(found >= 280);
  CHECK(rounds / 300 <= 30);
}

TEST_CASE("quiet benchmarks are decided by the first rounds, noisy ones stay open") {
  const RoundSettings settings;
  const std::vector<double> quiet = {0.001, -0.001, 0.0005, 0, 0.001};
  CHECK(StateOfRounds(EstimateOfRounds(quiet, {}), settings) == RoundState::kSame);
  const std::vector<double> slower = {0.101, 0.099, 0.1, 0.102, 0.1};
  const Estimate estimate = EstimateOfRounds(slower, {});
  CHECK(StateOfRounds(estimate, settings) == RoundState::kSuspect);
  CHECK(FreshRounds(estimate, slower.size(), settings) == settings.min_rounds);
  const std::vector<double> noisy = {0.1, -0.1, 0.05, -0.04, 0.02};
  CHECK(StateOfRounds(EstimateOfRounds(noisy, {}), settings) == RoundState::kOpen);
  CHECK(FreshRounds(EstimateOfRounds(noisy, {}), noisy.size(), settings) == settings.max_rounds);
  CHECK(StateOfRounds(EstimateOfRounds({}, {}), settings) == RoundState::kOpen);
  CHECK(StateOfRounds(EstimateOfRounds(std::vector{0.5}, {}), settings) == RoundState::kOpen);
}

TEST_CASE("p-values of several suspects are corrected together") {
  CHECK(Confirmed(std::vector{0.006, 0.004}, 0.01) == std::vector{true, true});
  CHECK(Confirmed(std::vector{0.006, 0.008}, 0.01) == std::vector{false, false});
  CHECK(Confirmed(std::vector<double>{0.9, 0.003, NAN}, 0.01) == std::vector{false, true, false});
  CHECK(Confirmed({}, 0.01).empty());
}

TEST_CASE("three benchmarks give a prior, fewer do not") {
  const std::vector<double> one = {0.01, -0.01, 0.02, 0, 0.01};
  CHECK(NoiseOfRounds(std::vector{one, one}, 5).df == 0);
  CHECK(NoiseOfRounds(std::vector{one, one, one}, 5).df > 0);
  CHECK(NoiseOfRounds(std::vector{one, one, std::vector<double>{0.1}}, 5).df == 0);
}

TEST_CASE("the functions of a run have the times of a call") {
  Run run;
  run.total_ns = 300;
  run.functions["f"].ns = 100;
  run.functions["f"].total_ns = 150;
  run.functions["g"].ns = 200;
  Run whole = run;
  CHECK(ExpressPerCall(whole, 6, true));
  REQUIRE(whole.steps);
  const auto per_call = [](const Run& of, const char* name) {
    return of.steps->work.functions.at(name).ns / static_cast<double>(of.steps->steps);
  };
  CHECK(per_call(whole, "f") == Approx(2));
  CHECK(per_call(whole, "g") == Approx(4));
  CHECK(whole.steps->step_ns == 6);

  run.steps.emplace();
  run.steps->work.total_ns = 50;
  run.steps->work.functions["f"].ns = 50;
  Run steps = run, others = run;
  ExpressPerCall(steps, 6, true);
  CHECK(per_call(steps, "f") == Approx(6));
  ExpressPerCall(others, 6, false);
  CHECK(per_call(others, "f") == Approx(2));

  Run empty;
  CHECK_FALSE(ExpressPerCall(empty, 6, true));
  CHECK_FALSE(empty.steps);
}

}  // namespace gprofx::compare
