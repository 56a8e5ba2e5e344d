// How often a comparison is wrong on this very job: the runs of one version, split into two sides
// in which nothing can have changed, compared as if they were two versions.
//
// All ways to split them, or a thousand of them by a fixed seed. Runs that are no pairs are parted
// into two halves; for pairs neighbours are taken, and which of the two is the head changes. Splits
// of the same runs are not independent, so the interval is the narrowest that can be true. Pure.
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
  size_t alarms = 0;      // splits in which it was called slower
  double detectable = 0;  // median over the splits; infinite where it was never tested
};

struct Aa {
  size_t base_runs = 0, head_runs = 0;  // of each split
  size_t splits = 0;
  bool all = true;         // of the ways to split them; else some by chance
  size_t regressions = 0;  // splits that would have failed the job
  size_t improvements = 0;
  Interval rate;          // of regressions, as a part of 1, at the confidence of the settings
  double detectable = 0;  // of the whole, median over the splits: a logarithm
  std::vector<AaPart> functions, kernels;  // that were tested; largest share first
};

inline constexpr size_t kMinAaRuns = 4;
inline constexpr size_t kMaxAaSplits = 1000;

// `settings.paired` says which kind of splits. At least kMinAaRuns runs, else there are no
// splits.
Aa MeasureAa(std::span<const Run> runs, const Settings& settings);

// Of a rate that `found` of `all` show: Clopper and Pearson.
Interval RateInterval(size_t found, size_t all, double confidence);

}  // namespace gprofx::compare
