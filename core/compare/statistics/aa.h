// Measures how often a comparison is wrong for a job. The runs of one version are split into two
// sides, which are then compared as if they were two versions. Nothing changed between them, so
// every reported change is a false alarm.
//
// Uses all possible splits, or a thousand random ones with a fixed seed. Unpaired runs are split
// into two halves. With pairs, neighbouring runs form a pair, and the splits differ in which run of
// each pair is the head. Splits of the same runs are not independent of each other. The true
// interval of the rate of false alarms is therefore at least as wide as the reported one. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/compare/diff.h"

namespace gprofx::compare {

struct AaPart {
  Part part;
  double share = 0;   // share of the whole, mean over the runs
  size_t alarms = 0;  // number of splits in which the comparison called it slower
  // Smallest detectable effect: median over the splits; infinite if never tested.
  double detectable = 0;
};

struct Aa {
  size_t base_runs = 0, head_runs = 0;  // number of runs per split
  size_t splits = 0;
  bool all = true;         // true: all possible splits; false: a random choice
  size_t regressions = 0;  // number of splits that would have failed the job
  size_t improvements = 0;
  // Interval of the rate of regressions, 0 to 1, at the confidence of the settings.
  Interval rate;
  double detectable = 0;                   // of the whole, as a logarithm; median over the splits
  std::vector<AaPart> functions, kernels;  // tested parts; largest share first
};

inline constexpr size_t kMinAaRuns = 4;
inline constexpr size_t kMaxAaSplits = 1000;

// Measures the rate of false alarms. `settings.paired` selects the kind of splits. With fewer than
// kMinAaRuns runs there are no splits.
Aa MeasureAa(std::span<const Run> runs, const Settings& settings);

// Returns the Clopper-Pearson confidence interval of a rate. `found` of `all` were observed.
Interval RateInterval(size_t found, size_t all, double confidence);

}  // namespace gprofx::compare
