// What became slower between two versions of a program, from repetitions of both: functions,
// kernels, lines, whatever has a time.
//
// Method. A pair is one run of each version, one right after the other on one machine, so that what
// the machine does to both cancels. Of each subject the logarithm of head / base per pair is taken;
// the median over all subjects of a pair, those with few samples weighing less, is what changed
// everywhere and is told apart. Variances are divided by what sampling alone explains, then
// moderated over all subjects (moderation.h), so few pairs are enough. A regression is an effect of
// more than `least_effect`, found at a rate of false discoveries of `false_discoveries`. Without
// pairs the two groups of runs are compared.
// Where fresh runs can be had, confirm.h finds more at fewer false alarms.
//
// Run-to-run noise, not the number of samples, is what limits a verdict: one run of each says
// nothing, however long it is. Pure; one thread; linear in subjects times runs, but for sorting.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/compare/statistics/tests.h"

namespace gprofx::compare {

struct Settings {
  bool paired = true;
  double least_effect = 0.02;        // as a logarithm: changes below it do not matter
  double least_total_effect = 0.01;  // likewise of the total
  double false_discoveries = 0.01;   // of all subjects that are called a change
  double total_alpha = 0.05;         // of the test of the total
  double least_share = 0.005;        // of the whole; smaller subjects are not tested
  double power = 0.8;                // with which a detectable effect would be found
  double confidence = 0.95;          // of intervals
};

// A value of each run, per unit of work (a step, or the whole run).
struct Series {
  std::vector<double> base, head;
  // How many samples stand behind a run's value; empty = values are exact.
  std::vector<double> base_samples, head_samples;
  // Standard error of a run's value that is itself an estimate, as a part of it; empty = of none.
  std::vector<double> base_error, head_error;
};

enum class Verdict : uint8_t { kRegression, kImprovement, kEquivalent, kInconclusive };

struct Outcome {
  bool tested = false;        // it was large enough, often enough seen and there in both versions
  double base = 0, head = 0;  // means over the runs
  double share = 0;           // of the whole, in the version that has more of it
  Estimate estimate;          // of the logarithm of head / base, relative to `global` where centred
  Interval interval;
  double p = 1;           // that such an effect is seen where none is larger than the least
  double rate = 1;        // false discoveries if it were called a change
  double detectable = 0;  // smallest logarithm that this data would have shown
  Verdict verdict = Verdict::kInconclusive;
};

// What follows from an outcome: it is called a change up to a rate of false ones of `rate`,
// and equivalent where it surely is less than `least_effect`.
Verdict VerdictOf(const Outcome& outcome, double least_effect, double rate,
                  const Settings& settings);

struct Comparison {
  Outcome total;  // of the sums over all subjects; not centred
  // The median logarithm over subjects, which is taken off each: of each pair, or one of the two
  // groups. Zero where subjects are too few to tell it; none where no subject was tested.
  std::vector<double> everywhere;
  double global = 0;              // its mean
  std::vector<Outcome> subjects;  // in the order given
};

// All series have as many runs as `total`; pairs stand at the same position. At least two runs of
// each side are needed for any verdict but kInconclusive.
Comparison Compare(const Series& total, std::span<const Series> subjects,
                   const Settings& settings = {});

// Pairs that it would take to find `effect` of the total, at least those there are; 0 = more than a
// thousand.
int PairsFor(const Outcome& total, double effect, int pairs, const Settings& settings);

}  // namespace gprofx::compare
