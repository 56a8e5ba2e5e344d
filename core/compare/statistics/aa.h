// Measures how often a comparison is wrong for this job: splits the runs of one version into two
// sides, between which nothing changed, and compares them as two versions.
//
// Uses all possible splits, or a thousand random ones with a fixed seed. Unpaired runs are split
// into two halves. For pairs, neighbouring runs form a pair, and which of the two is the head
// varies. Splits of the same runs are not independent of each other, so the true interval of the
// rate of false alarms is at least as wide as the reported one. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/compare/diff.h"

namespace gprofx::compare {

struct AaPart {
  Part part;
  double share = 0;       // of the whole, mean over the runs
  size_t alarms = 0;      // splits that called it slower
  double detectable = 0;  // median over the splits; infinite if it was never tested
};

struct Aa {
  size_t base_runs = 0, head_runs = 0;  // per split
  size_t splits = 0;
  bool all = true;         // all possible splits; else a random choice
  size_t regressions = 0;  // splits that would have failed the job
  size_t improvements = 0;
  Interval rate;                           // of regressions, 0 to 1, at the settings' confidence
  double detectable = 0;                   // for the whole, a logarithm; median over the splits
  std::vector<AaPart> functions, kernels;  // tested parts; largest share first
};

inline constexpr size_t kMinAaRuns = 4;
inline constexpr size_t kMaxAaSplits = 1000;

// `settings.paired` selects the kind of splits. With fewer than kMinAaRuns runs there are no
// splits.
Aa MeasureAa(std::span<const Run> runs, const Settings& settings);

// Returns the Clopper-Pearson interval of a rate that was observed as `found` of `all`.
Interval RateInterval(size_t found, size_t all, double confidence);

}  // namespace gprofx::compare
