// Finds what became slower between two versions of a program, from repeated runs of both. Subjects
// are functions, kernels, lines or anything else that has a time.
//
// Method. A pair is one run of each version, directly after each other on one machine, so that
// effects of the machine on both cancel. For each subject, the logarithm of head / base is taken
// per pair. The median of these logarithms over all subjects of a pair is the global change;
// subjects with few samples have less weight in it. It is subtracted from each subject and reported
// separately. The variance that sampling alone explains is divided out. The variances are then
// moderated: each is drawn towards the variance that is common to all subjects (moderation.h).
// Therefore few pairs are enough. A regression is an effect larger than `least_effect`, at a false
// discovery rate of `false_discoveries`. Without pairs, all runs of one version are compared with
// all runs of the other. If new runs can be made, the two-stage method of confirm.h finds more with
// fewer false alarms.
//
// Run-to-run noise, not the number of samples, limits a verdict: one run of each version gives no
// verdict, however long it is. Pure; one thread; linear in subjects times runs, except for sorting.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/compare/statistics/tests.h"

namespace gprofx::compare {

struct Settings {
  bool paired = true;
  double least_effect = 0.02;        // logarithm; smaller changes do not matter
  double least_total_effect = 0.01;  // as above, for the total
  double false_discoveries = 0.01;   // maximum rate among all reported changes
  double total_alpha = 0.05;         // of the test of the total
  double least_share = 0.005;        // of the whole; smaller subjects are not tested
  double power = 0.8;                // probability of finding a detectable effect
  double confidence = 0.95;          // of intervals
};

// One value per run, per unit of work (a step, or the whole run).
struct Series {
  std::vector<double> base, head;
  // Number of samples of each run's value; empty = values are exact.
  std::vector<double> base_samples, head_samples;
  // Relative standard error of each run's value if it is itself an estimate; empty = not estimated.
  std::vector<double> base_error, head_error;
};

enum class Verdict : uint8_t { kRegression, kImprovement, kEquivalent, kInconclusive };

struct Outcome {
  bool tested = false;        // large enough, with enough samples and in both versions
  double base = 0, head = 0;  // means over the runs
  double share = 0;           // of the whole, in the version with the larger share
  Estimate estimate;          // log of head / base; of subjects, minus the global change
  Interval interval;
  double p = 1;           // p-value of the null: the effect is at most the least effect
  double rate = 1;        // false discovery rate at which it is called a change
  double detectable = 0;  // smallest logarithm that this data could show
  Verdict verdict = Verdict::kInconclusive;
};

// Returns the verdict: a change if the false discovery rate is at most `rate`, equivalent if the
// effect is certainly below `least_effect`.
Verdict VerdictOf(const Outcome& outcome, double least_effect, double rate,
                  const Settings& settings);

struct Comparison {
  Outcome total;  // of the sums over all subjects; includes the global change
  // The median logarithm over subjects, which is subtracted from each: one per pair, or one for the
  // two groups. Zero if there are too few subjects to estimate it; empty if no subject was tested.
  std::vector<double> everywhere;
  double global = 0;              // mean of `everywhere`
  std::vector<Outcome> subjects;  // in input order
};

// All series must have as many runs as `total`; the runs of a pair have the same index. With fewer
// than two runs of a side every verdict is kInconclusive.
Comparison Compare(const Series& total, std::span<const Series> subjects,
                   const Settings& settings = {});

// Returns the number of pairs needed to find an effect of size `effect` on the total. Returns at
// least `pairs`, the current number; 0 = more than a thousand would be needed.
int PairsFor(const Outcome& total, double effect, int pairs, const Settings& settings);

}  // namespace gprofx::compare
