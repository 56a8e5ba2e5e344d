// Finds what became slower between two versions of a program, from repeated runs of both. Subjects
// are functions, kernels, lines or anything else that has a time.
//
// Method: A pair is one run of each version, directly after each other on one machine. Effects of
// the machine on both runs therefore cancel out. For each subject and pair, the logarithm of head /
// base is computed. The median of these logarithms over all subjects of a pair is the global
// change. It is subtracted from each subject and reported separately. Subjects with few samples
// have less weight in the median. The variance that sampling alone explains is divided out. Then
// the variances are moderated: each is moved towards the variance that all subjects have in common
// (moderation.h). This makes a few pairs sufficient. A regression is an effect larger than
// `least_effect`, at a false discovery rate of `false_discoveries`.
//
// Without pairs, all runs of one version are compared with all runs of the other. If new runs can
// be made, the two-stage method of confirm.h finds more changes with fewer false alarms.
//
// The noise between runs, and not the number of samples, limits a verdict. One run of each version
// gives no verdict, however long it is. Pure; one thread; linear in subjects times runs, except for
// sorting.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/compare/statistics/tests.h"

namespace gprofx::compare {

struct Settings {
  bool paired = true;
  double least_effect = 0.02;        // as a logarithm; smaller changes do not matter
  double least_total_effect = 0.01;  // the same for the total
  double false_discoveries = 0.01;   // maximum false discovery rate among all reported changes
  double total_alpha = 0.05;         // level of the test of the total
  double least_share = 0.005;        // a subject with a smaller share of the whole is not tested
  double power = 0.8;        // probability with which a change of size `detectable` is found
  double confidence = 0.95;  // level of confidence intervals
};

// The values of a subject: one per run, divided by the units of work (steps, or the whole run).
struct Series {
  std::vector<double> base, head;
  // Number of samples behind each value; empty if values are exact.
  std::vector<double> base_samples, head_samples;
  // Relative standard error of each value that is an estimate; empty if none is.
  std::vector<double> base_error, head_error;
};

enum class Verdict : uint8_t { kRegression, kImprovement, kEquivalent, kInconclusive };

struct Outcome {
  // False if the subject is too small, has too few samples, or is not in both versions.
  bool tested = false;
  double base = 0, head = 0;  // means over the runs
  double share = 0;           // share of the whole; the larger one of the two versions
  Estimate estimate;  // change: logarithm of head / base; for one subject, minus the global change
  Interval interval;
  double p = 1;           // p-value of the hypothesis that the effect is at most the least effect
  double rate = 1;        // false discovery rate at which it counts as a change
  double detectable = 0;  // smallest effect (a logarithm) that these data could show
  Verdict verdict = Verdict::kInconclusive;
};

// Returns the verdict. The effect is a change if its false discovery rate is at most `rate`. It is
// equivalent if it is certainly below `least_effect`. Otherwise it is inconclusive.
Verdict VerdictOf(const Outcome& outcome, double least_effect, double rate,
                  const Settings& settings);

struct Comparison {
  Outcome total;  // for the sums over all subjects, including the global change
  // The global change: the median logarithm over subjects, which is subtracted from each of them.
  // It has a value for each pair, or one value if there are no pairs. Values are 0 if there are too
  // few subjects for an estimate. Empty if no subject was tested.
  std::vector<double> everywhere;
  double global = 0;              // mean of `everywhere`
  std::vector<Outcome> subjects;  // in input order
};

// Compares `total` and each of `subjects`. All series must have as many runs as `total`; the runs
// of a pair have the same index. If a side has fewer than two runs, every verdict is kInconclusive.
Comparison Compare(const Series& total, std::span<const Series> subjects,
                   const Settings& settings = {});

// Returns how many pairs are needed to find an effect of size `effect` on the total, at least
// `pairs`, the current number. 0 = more than a thousand.
int PairsFor(const Outcome& total, double effect, int pairs, const Settings& settings);

}  // namespace gprofx::compare
