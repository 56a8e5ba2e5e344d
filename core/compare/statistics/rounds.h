// Decides whether one benchmark of many became slower, with as few rounds as its noise permits. A
// round is one run of each version, directly after each other.
//
// Method. The logarithm of head / base is taken per round. After each round, the benchmark is the
// same (two one-sided tests), a suspect (its effect is more than the least effect), or open. An
// open one gets more rounds. A suspect gets as many fresh rounds as its effect and noise require.
// Only the fresh rounds decide about it, in one test, so the repeated tests before cannot cause
// false alarms. If they do not confirm it, but all rounds together still suspect it, it gets fresh
// rounds once more; the p-value is corrected for both attempts. The p-values of all suspects are
// corrected together (Holm), so `job_alpha` is the probability that a job without any change has an
// alarm. Variances are moderated by those of the other benchmarks (moderation.h). Pure; one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/compare/statistics/moderation.h"
#include "core/compare/statistics/tests.h"

namespace gprofx::compare {

struct RoundSettings {
  double least_effect = 0.01;  // logarithm; smaller changes do not matter
  double suspicion = 0.05;     // level of the test for suspects, and of that for equality
  double job_alpha = 0.01;     // probability of a false alarm in a job
  double power = 0.9;          // of fresh rounds, if the suspicion is right
  size_t min_rounds = 5, max_rounds = 20;
};

enum class RoundState : uint8_t { kOpen, kSame, kSuspect };

// How far the trial of one benchmark is.
struct RoundTrial {
  RoundState state = RoundState::kOpen;
  size_t fresh_from = 0;               // first fresh round, of all attempts
  size_t first = 0, fresh_wanted = 0;  // first round of this attempt, and their number
  int attempts = 0;                    // that have all their fresh rounds
  bool done = false;                   // decided, or a suspect with all attempts made
  double p = 1;                        // of the best attempt, corrected
};

// Returns the prior for the noise of a round: `rounds` holds the logarithms of every benchmark, of
// which the first `min_rounds` are used. Fewer than three benchmarks give no prior.
Prior NoiseOfRounds(std::span<const std::vector<double>> rounds, size_t min_rounds);

// Returns the mean of the logarithms of head / base, with a moderated error.
Estimate EstimateOfRounds(std::span<const double> logs, const Prior& prior);

RoundState StateOfRounds(const Estimate& estimate, const RoundSettings& settings);

// Returns the number of fresh rounds that confirm an effect of this size and noise.
size_t FreshRounds(const Estimate& estimate, size_t rounds, const RoundSettings& settings);

// Continues a trial after a round. `logs`: of all rounds so far.
void Advance(std::span<const double> logs, const Prior& prior, const RoundSettings& settings,
             RoundTrial& trial);

// Returns which of the suspects are confirmed. `p`: RoundTrial::p of each.
std::vector<bool> Confirmed(std::span<const double> p, double job_alpha);

}  // namespace gprofx::compare
