// Decides whether one benchmark of many became slower, with as few rounds as its noise permits. A
// round is one run of each version, directly after each other.
//
// Method. For each round, the logarithm of head / base is computed. After each round, the benchmark
// has one of three states:
//   - Same: two one-sided tests show that the effect is within the least effect.
//   - Suspect: a test shows that the effect is more than the least effect.
//   - Open: neither. The benchmark then gets more rounds.
// A suspect gets as many fresh rounds as its effect and noise require. Only the fresh rounds decide
// about it, in one test. The repeated tests before it therefore cannot cause false alarms. If they
// do not confirm it, but all rounds together still suspect it, it gets fresh rounds once more. The
// p-value is corrected for both attempts. The p-values of all suspects are corrected together
// (Holm). `job_alpha` is then the probability that a job without any change has an alarm. Variances
// are moderated by those of the other benchmarks (moderation.h). Pure; one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/compare/statistics/moderation.h"
#include "core/compare/statistics/tests.h"

namespace gprofx::compare {

struct RoundSettings {
  double least_effect = 0.01;  // as a logarithm; smaller changes do not matter
  double suspicion = 0.05;     // level of the tests for suspects and for equality
  double job_alpha = 0.01;     // probability that a job without changes has a false alarm
  double power = 0.9;          // probability that fresh rounds confirm a true suspicion
  size_t min_rounds = 5, max_rounds = 20;
};

enum class RoundState : uint8_t { kOpen, kSame, kSuspect };

// The state of the tests of one benchmark.
struct RoundTrial {
  RoundState state = RoundState::kOpen;
  size_t fresh_from = 0;  // first fresh round of the first attempt
  // First fresh round of the current attempt, and how many it needs.
  size_t first = 0, fresh_wanted = 0;
  int attempts = 0;   // number of attempts whose fresh rounds are complete
  bool done = false;  // decided, or a suspect after its last attempt
  double p = 1;       // corrected p-value of the best attempt
};

// Returns the prior for the noise of a round. `rounds` holds the logarithms of every benchmark; the
// first `min_rounds` of each are used. Fewer than three benchmarks give no prior.
Prior NoiseOfRounds(std::span<const std::vector<double>> rounds, size_t min_rounds);

// Returns the mean of `logs`, the logarithms of head / base, with a moderated error.
Estimate EstimateOfRounds(std::span<const double> logs, const Prior& prior);

RoundState StateOfRounds(const Estimate& estimate, const RoundSettings& settings);

// Returns how many fresh rounds would confirm an effect of this size and noise.
size_t FreshRounds(const Estimate& estimate, size_t rounds, const RoundSettings& settings);

// Updates a trial after a round. `logs` holds the logarithms of all rounds so far.
void Advance(std::span<const double> logs, const Prior& prior, const RoundSettings& settings,
             RoundTrial& trial);

// Returns for each suspect whether it is confirmed. `p` holds their RoundTrial::p.
std::vector<bool> Confirmed(std::span<const double> p, double job_alpha);

}  // namespace gprofx::compare
