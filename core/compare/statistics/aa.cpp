#include "core/compare/statistics/aa.h"

#include <algorithm>
#include <boost/math/distributions/beta.hpp>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <tuple>

#include "core/base/in_double.h"
#include "core/base/quantile.h"

namespace gprofx::compare {
namespace {

// Arbitrary but constant, because the same job must always get the same answer.
constexpr uint64_t kSeed = 20140505;

struct Split {
  std::vector<size_t> base, head;  // indices of runs
};

struct Splits {
  std::vector<Split> list;
  bool all = true;
};

// Returns all ways to choose `chosen` of `count` runs as base, with the others as head. Empty if
// there are more than kMaxAaSplits.
std::vector<Split> AllHalves(size_t count, size_t chosen) {
  std::vector<Split> splits;
  std::vector<bool> is_base(count);
  std::fill(is_base.begin(), is_base.begin() + static_cast<ptrdiff_t>(chosen), true);
  do {
    if (splits.size() == kMaxAaSplits) return {};
    Split& split = splits.emplace_back();
    for (size_t i = 0; i < count; ++i) (is_base[i] ? split.base : split.head).push_back(i);
  } while (std::prev_permutation(is_base.begin(), is_base.end()));
  return splits;
}

Splits Halves(size_t count) {
  Splits splits{AllHalves(count, count / 2)};
  if (!splits.list.empty()) return splits;
  splits.all = false;
  std::mt19937_64 random(kSeed);
  std::vector<size_t> order(count);
  for (size_t i = 0; i < count; ++i) order[i] = i;
  const auto middle = static_cast<ptrdiff_t>(count / 2);
  for (size_t n = 0; n < kMaxAaSplits; ++n) {
    for (size_t i = count - 1; i > 0; --i) std::swap(order[i], order[random() % (i + 1)]);
    splits.list.push_back(
        {{order.begin(), order.begin() + middle}, {order.begin() + middle, order.end()}});
  }
  return splits;
}

Splits Pairs(size_t count) {
  const size_t pairs = count / 2;
  Splits splits;
  splits.all = pairs < 10;  // with 10 pairs, 2^10 splits are more than kMaxAaSplits
  std::mt19937_64 random(kSeed);
  const size_t wanted = splits.all ? size_t{1} << pairs : kMaxAaSplits;
  for (size_t n = 0; n < wanted; ++n) {
    Split& split = splits.list.emplace_back();
    for (size_t pair = 0; pair < pairs; ++pair) {
      const bool swapped = (splits.all ? n >> pair : random()) % 2 != 0;
      split.base.push_back(2 * pair + (swapped ? 1 : 0));
      split.head.push_back(2 * pair + (swapped ? 0 : 1));
    }
  }
  return splits;
}

// Drops parts that are too small to be tested in any split, and parts that no verdict uses. A
// thousand comparisons are then cheaper.
void DropSmall(WorkDone& work, const Settings& settings) {
  const auto drop = [&](Parts& parts, double whole) {
    std::erase_if(parts, [&](const auto& entry) {
      return std::max(entry.second.ns, entry.second.total_ns) < whole * settings.least_share / 2;
    });
  };
  drop(work.functions, work.total_ns);
  drop(work.kernels, work.gpu_ns);
  work.lines.clear();
  work.operators.clear();
}

Run WithoutSmall(Run run, const Settings& settings) {
  DropSmall(run, settings);
  if (run.steps) DropSmall(run.steps->work, settings);
  return run;
}

std::vector<Run> Chosen(const std::vector<Run>& runs, const std::vector<size_t>& positions) {
  std::vector<Run> chosen;
  for (const size_t position : positions) chosen.push_back(runs[position]);
  return chosen;
}

class PartTally {
 public:
  void Add(const std::vector<Change>& changes) {
    for (const Change& change : changes) {
      if (!change.outcome.tested) continue;
      Entry& entry =
          entries_[{change.part.kind, change.part.module, change.part.file, change.part.name}];
      entry.part.part = change.part;
      entry.part.alarms += change.outcome.verdict == Verdict::kRegression && !change.moved ? 1 : 0;
      entry.share += change.outcome.share;
      entry.detectable.push_back(change.outcome.detectable);
    }
  }

  std::vector<AaPart> Parts() {
    std::vector<AaPart> parts;
    for (auto& [key, entry] : entries_) {
      entry.part.share = entry.share / static_cast<double>(entry.detectable.size());
      entry.part.detectable = Median(std::move(entry.detectable));
      parts.push_back(std::move(entry.part));
    }
    std::stable_sort(parts.begin(), parts.end(),
                     [](const AaPart& a, const AaPart& b) { return a.share > b.share; });
    return parts;
  }

 private:
  struct Entry {
    AaPart part;
    double share = 0;
    std::vector<double> detectable;
  };
  std::map<std::tuple<FrameKind, std::string, std::string, std::string>, Entry> entries_;
};

}  // namespace

Interval RateInterval(size_t found, size_t all, double confidence) {
  if (all == 0) return {0, 1};
  const double outside = (1 - confidence) / 2;
  const auto k = static_cast<double>(found), n = static_cast<double>(all);
  using Beta = boost::math::beta_distribution<double, InDouble>;
  return {found == 0 ? 0 : quantile(Beta(k, n - k + 1), outside),
          found == all ? 1 : quantile(complement(Beta(k + 1, n - k), outside))};
}

Aa MeasureAa(std::span<const Run> runs, const Settings& settings) {
  Aa aa;
  aa.detectable = std::numeric_limits<double>::infinity();
  aa.rate = {0, 1};
  if (runs.size() < kMinAaRuns) return aa;
  std::vector<Run> small;
  for (const Run& run : runs) small.push_back(WithoutSmall(run, settings));
  const Splits splits = settings.paired ? Pairs(runs.size()) : Halves(runs.size());
  aa.base_runs = splits.list.front().base.size();
  aa.head_runs = splits.list.front().head.size();
  aa.splits = splits.list.size();
  aa.all = splits.all;
  std::vector<double> detectable;
  PartTally functions, kernels;
  for (const Split& split : splits.list) {
    const Diff diff = CompareRuns(Chosen(small, split.base), Chosen(small, split.head), settings);
    aa.regressions += diff.verdict == Verdict::kRegression ? 1 : 0;
    aa.improvements += diff.verdict == Verdict::kImprovement ? 1 : 0;
    if (diff.total.tested) detectable.push_back(diff.total.detectable);
    functions.Add(diff.functions);
    kernels.Add(diff.kernels);
  }
  aa.rate = RateInterval(aa.regressions, aa.splits, settings.confidence);
  if (!detectable.empty()) aa.detectable = Median(std::move(detectable));
  aa.functions = functions.Parts();
  aa.kernels = kernels.Parts();
  return aa;
}

}  // namespace gprofx::compare
