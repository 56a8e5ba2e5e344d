// Finds out why some steps take longer than others. Each possible cause has an amount in each step:
// the ns that it may have added to the step. A step whose amount is clearly above the median is
// affected (treated). It is paired with the nearest unaffected step (control). A cause is reported
// if both conditions hold:
//   - Affected steps take longer, by a sign test and a confidence interval.
//   - The differences in its amount account for at least half of the differences in time.
//
// Time that no cause accounts for is unexplained.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/base/quantile.h"
#include "core/variability/stages/build.h"
#include "core/variability/statistics/statistics.h"
#include "core/variability/step_parts.h"
#include "core/variability/step_series.h"

namespace gprofx::variability {
namespace {

// A step is affected if its amount exceeds the median by this many robust standard deviations.
constexpr double kDeviations = 3;
// The amount must also exceed the median by this fraction of the distance from the median to p95.
constexpr double kPieces = 0.15;
constexpr double kSlow = 0.05;  // a step is slow if it exceeds the median step by this fraction
constexpr double kMinExplained = 0.5;  // explained fraction of the extra time of affected steps
constexpr double kSlack = 1.25;        // factor on amounts, because they are not exact
constexpr double kMinOfRun = 0.01;     // minimum excess, as a fraction of the time of all steps
// "Everything on the GPU took longer" requires at least this many slower groups.
constexpr size_t kFewestGroups = 3;

double MadOf(const std::vector<double>& values, double median) {
  std::vector<double> distances;
  for (const double value : values) distances.push_back(std::abs(value - median));
  return 1.4826 * Median(std::move(distances));
}

struct Pair {
  size_t series = 0, treated = 0, control = 0;
};

class Causes {
 public:
  explicit Causes(Build& build) : build_(build), all_(SeriesOf(build)) {}

  void Run() {
    for (const StepSeries& series : all_) {
      explained_.emplace_back(series.time.size(), 0);
      for (const double time : series.time) total_ += time;
    }
    size_t tests = 0;
    for (size_t k = 0; k < kStepCauses; ++k) tests += IsKnown(k) ? 1 : 0;
    for (size_t k = 0; k < kStepCauses; ++k) {
      if (IsKnown(k)) Test(static_cast<StepCause>(k), kRate / static_cast<double>(tests));
    }
    FindUnexplained();
    std::sort(build_.model.causes.begin(), build_.model.causes.end(),
              [](const CauseRow& a, const CauseRow& b) {
                return std::pair(-a.excess_ns, a.cause) < std::pair(-b.excess_ns, b.cause);
              });
  }

 private:
  bool IsKnown(size_t cause) const {
    return std::any_of(all_.begin(), all_.end(),
                       [cause](const StepSeries& series) { return !series.amount[cause].empty(); });
  }

  std::vector<bool> TreatedSteps(const StepSeries& series, StepCause cause) const {
    const std::vector<double>& amount = series.amount[static_cast<size_t>(cause)];
    if (amount.empty()) return {};
    const double usual = Median(amount);
    const double least = cause == StepCause::kFaults ? 1 : kMinEffect * Median(series.time);
    // Amounts that come from samples are coarse: a small amount may be a single sample. An amount
    // must therefore also be large in comparison with the 95th percentile.
    const double pieces = kPieces * (Quantile(amount, 0.95) - usual);
    const double limit = usual + std::max({least, kDeviations * MadOf(amount, usual), pieces});
    std::vector<bool> treated;
    for (const double value : amount) treated.push_back(value > limit);
    return treated;
  }

  // Pairs each affected step with the nearest unaffected step that is not yet in a pair. Leaves out
  // steps that an earlier cause explains.
  void AddPairs(size_t at, StepCause cause, CauseRow& row, std::vector<Pair>& pairs) const {
    const std::vector<bool> treated = TreatedSteps(all_[at], cause);
    std::set<size_t> free;
    for (size_t i = 0; i < treated.size(); ++i) {
      if (!treated[i] && explained_[at][i] == 0) free.insert(i);
    }
    for (size_t i = 0; i < treated.size(); ++i) {
      if (!treated[i] || explained_[at][i] != 0) continue;
      ++row.steps;
      if (free.empty()) continue;
      auto chosen = free.lower_bound(i);
      if (chosen == free.end() ||
          (chosen != free.begin() && i - *std::prev(chosen) <= *chosen - i)) {
        --chosen;
      }
      pairs.push_back({at, i, *chosen});
      free.erase(chosen);
    }
  }

  double More(const Pair& pair, const std::vector<double>& values) const {
    return values[pair.treated] - values[pair.control];
  }

  // Returns for how many ns of the treated step's extra time the cause accounts.
  double Explained(const Pair& pair, StepCause cause) const {
    const StepSeries& series = all_[pair.series];
    const double longer = More(pair, series.time);
    const double more = More(pair, series.amount[static_cast<size_t>(cause)]);
    if (longer <= 0) return longer;
    switch (cause) {
      case StepCause::kFaults:
        return longer;
      case StepCause::kAnotherProcess:
      case StepCause::kWholeGpu:
        // The amount is only the time by which our kernels ran longer. Others on the GPU also delay
        // us between our kernels, which the amount does not contain. So if the amount is at least a
        // third of the extra time, it stands for all of it.
        return 3 * more >= longer ? longer : kSlack * more;
      default:
        return std::min(longer, kSlack * more);
    }
  }

  // True if executions of at least kFewestGroups groups took clearly longer in treated steps.
  bool IsWholeGpu(const std::vector<Pair>& pairs) const {
    size_t with[64] = {}, without[64] = {};
    for (const Pair& pair : pairs) {
      const std::vector<uint64_t>& stretched = all_[pair.series].stretched;
      for (size_t bit = 0; bit < 64; ++bit) {
        with[bit] += stretched[pair.treated] >> bit & 1;
        without[bit] += stretched[pair.control] >> bit & 1;
      }
    }
    size_t groups = 0;
    for (size_t bit = 0; bit < 64; ++bit) {
      groups += with[bit] > without[bit] + pairs.size() / 20 ? 1 : 0;
    }
    return groups >= kFewestGroups;
  }

  void Test(StepCause cause, double rate) {
    CauseRow row;
    row.cause = cause;
    std::vector<Pair> pairs;
    for (size_t i = 0; i < all_.size(); ++i) AddPairs(i, cause, row, pairs);
    row.pairs = pairs.size();
    std::map<int32_t, uint64_t> ratios;
    uint64_t wins = 0, losses = 0;
    double longer = 0, explained = 0;
    for (const Pair& pair : pairs) {
      const StepSeries& series = all_[pair.series];
      const double more = More(pair, series.time);
      const int64_t r = LogOf(static_cast<int64_t>(series.time[pair.treated])) -
                        LogOf(static_cast<int64_t>(series.time[pair.control]));
      ++ratios[static_cast<int32_t>(r / kPairUnit)];
      wins += more > 0 ? 1 : 0;
      losses += more < 0 ? 1 : 0;
      longer += more;
      explained += Explained(pair, cause);
    }
    const std::optional<MedianInterval> interval = IntervalOfMedian(ratios);
    if (!interval || longer <= 0) return;
    constexpr auto kUnit = static_cast<double>(kPairUnit);
    row.ratio = RatioOf(interval->median * kUnit);
    row.low = RatioOf(interval->low * kUnit);
    row.high = RatioOf(interval->high * kUnit);
    row.p = SignTest(wins, losses);
    row.share = explained / longer;
    row.excess_ns = explained / static_cast<double>(pairs.size()) * static_cast<double>(row.steps);
    row.excess_per_step_ns =
        row.excess_ns / static_cast<double>(std::max<uint64_t>(build_.steps, 1));
    const bool is_gpu = cause == StepCause::kAnotherProcess || cause == StepCause::kWholeGpu;
    if (row.p > rate || row.low <= 1 || !IsLarge(row.ratio) || row.share < kMinExplained ||
        row.excess_ns < kMinOfRun * total_ || (is_gpu && !IsWholeGpu(pairs))) {
      return;
    }
    Describe(pairs, row);
    build_.model.causes.push_back(row);
    for (size_t i = 0; i < all_.size(); ++i) {
      const std::vector<bool> treated = TreatedSteps(all_[i], cause);
      for (size_t k = 0; k < treated.size(); ++k) explained_[i][k] |= treated[k] ? 1 : 0;
    }
  }

  // Sets the evidence to display, and the lane that is mainly affected.
  void Describe(const std::vector<Pair>& pairs, CauseRow& row) const {
    const auto cause = static_cast<size_t>(row.cause);
    std::vector<double> value, usual;
    std::map<uint32_t, double> by_lane;
    for (const Pair& pair : pairs) {
      const StepSeries& series = all_[pair.series];
      const std::vector<double>& shown =
          series.shown[cause].empty() ? series.amount[cause] : series.shown[cause];
      value.push_back(shown[pair.treated]);
      usual.push_back(shown[pair.control]);
      by_lane[series.lane] += More(pair, series.amount[cause]);
    }
    row.value = Median(std::move(value));
    row.usual = Median(std::move(usual));
    if (row.cause == StepCause::kLateRank) by_lane = LateLanes();
    double sum = 0;
    for (const auto& [lane, ns] : by_lane) sum += ns;
    for (const auto& [lane, ns] : by_lane) {
      if (all_.size() > 1 && 3 * ns > 2 * sum) row.lane = lane;
    }
  }

  std::map<uint32_t, double> LateLanes() const {
    std::map<uint32_t, double> late;
    for (const auto& [lane, sums] : build_.tally.matches.lanes) {
      if (sums.last > 0) late[lane] = static_cast<double>(sums.caused);
    }
    return late;
  }

  void FindUnexplained() {
    Unexplained& out = build_.model.unexplained;
    std::array<double, kParts + 1> more{};
    for (size_t at = 0; at < all_.size(); ++at) {
      const StepSeries& series = all_[at];
      const double usual = Median(series.time);
      const double limit = usual + std::max(kSlow * usual, kDeviations * MadOf(series.time, usual));
      std::array<double, kParts + 1> medians;
      for (size_t i = 0; i <= kParts; ++i) medians[i] = Median(series.parts[i]);
      for (size_t k = 0; k < series.time.size(); ++k) {
        if (series.time[k] <= limit || explained_[at][k] != 0) continue;
        ++out.steps;
        out.excess_ns += series.time[k] - usual;
        for (size_t i = 0; i <= kParts; ++i) more[i] += series.parts[i][k] - medians[i];
      }
    }
    const auto most =
        static_cast<size_t>(std::max_element(more.begin(), more.end()) - more.begin());
    if (out.steps > 0) out.part = most < kParts ? build_.model.steps.parts[most].name : kIdle;
  }

  Build& build_;
  const std::vector<StepSeries> all_;
  // By series and step: 1 = an earlier cause explains the step.
  std::vector<std::vector<uint8_t>> explained_;
  double total_ = 0;  // ns, time of all steps
};

}  // namespace

void BuildCauses(Build& build) { Causes(build).Run(); }

}  // namespace gprofx::variability
