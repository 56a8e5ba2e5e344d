#include "core/compare/statistics/change_points.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/compare/statistics/sums.h"
#include "core/compare/statistics/tests.h"

namespace gprofx::compare {
namespace {

constexpr size_t kMinSide = 3;      // minimum number of values on each side of a change
constexpr double kMayBeOne = 0.05;  // maximum uncorrected p-value of a first candidate
// Maximum number of rounds of Refine(); one or two are usually enough.
constexpr int kMaxRefinements = 10;

double SumOfDistances(std::span<const double> values, double from) {
  double sum = 0;
  for (const double value : values) sum += std::fabs(value - from);
  return sum;
}

// Returns the place, an index in `values`, that divides them into the two sides with the largest
// scaled energy distance. No value if there are too few values.
std::optional<size_t> BestPlace(std::span<const double> values) {
  const size_t count = values.size();
  if (count < 2 * kMinSide) return std::nullopt;
  // Sums of the distances between two values: both left, both right, one on each side. Each pair of
  // values counts once.
  double left = 0, right = 0, between = 0;
  for (size_t i = 0; i < count; ++i) right += SumOfDistances(values.subspan(i), values[i]);
  std::optional<size_t> best;
  double most = 0;
  for (size_t at = 1; at + kMinSide <= count; ++at) {
    const double to_left = SumOfDistances(values.first(at - 1), values[at - 1]);
    const double to_right = SumOfDistances(values.subspan(at), values[at - 1]);
    left += to_left;
    right -= to_right;
    between += to_right - to_left;
    if (at < kMinSide) continue;
    const auto m = static_cast<double>(at), n = static_cast<double>(count - at);
    const double energy =
        2 * between / (m * n) - 2 * left / (m * (m - 1)) - 2 * right / (n * (n - 1));
    const double scaled = energy * m * n / (m + n);
    if (!best || scaled > most) {
      best = at;
      most = scaled;
    }
  }
  return best;
}

// Returns the p-value of the hypothesis that the means on both sides of `at` are equal.
double PValueAt(std::span<const double> values, size_t at) {
  const std::span<const double> left = values.first(at), right = values.subspan(at);
  const double before = Mean(left), after = Mean(right);
  const auto m = static_cast<double>(left.size()), n = static_cast<double>(right.size());
  const double df = m + n - 2;
  const double variance = (SquaresAround(left, before) + SquaresAround(right, after)) / df;
  return PValueOfMoreThan({after - before, std::sqrt(variance * (1 / m + 1 / n)), df}, 0);
}

void SplitSeries(std::span<const double> values, size_t begin, size_t end,
                 std::vector<size_t>& places) {
  const std::span<const double> part = values.subspan(begin, end - begin);
  const std::optional<size_t> best = BestPlace(part);
  if (!best || PValueAt(part, *best) > kMayBeOne) return;
  SplitSeries(values, begin, begin + *best, places);
  places.push_back(begin + *best);
  SplitSeries(values, begin + *best, end, places);
}

class Changes {
 public:
  Changes(std::span<const double> values, double level) : values_(values), level_(level) {
    SplitSeries(values, 0, values.size(), places_);
    TakeBackWeak();
    for (int i = 0; i < kMaxRefinements && Refine(); ++i) TakeBackWeak();
  }

  std::vector<ChangePoint> Points() const {
    std::vector<ChangePoint> points;
    for (size_t i = 0; i < places_.size(); ++i) {
      const size_t at = places_[i];
      points.push_back({at, Mean(values_.subspan(Begin(i), at - Begin(i))),
                        Mean(values_.subspan(at, End(i) - at)), Corrected(i)});
    }
    return points;
  }

 private:
  size_t Begin(size_t i) const { return i == 0 ? 0 : places_[i - 1]; }
  size_t End(size_t i) const { return i + 1 == places_.size() ? values_.size() : places_[i + 1]; }
  std::span<const double> Around(size_t i) const {
    return values_.subspan(Begin(i), End(i) - Begin(i));
  }
  double Corrected(size_t i) const {
    const double looked_at = static_cast<double>(values_.size());
    return std::min(1.0, PValueAt(Around(i), places_[i] - Begin(i)) * looked_at);
  }

  void TakeBackWeak() {
    while (!places_.empty()) {
      size_t weakest = 0;
      double most = -1;
      for (size_t i = 0; i < places_.size(); ++i) {
        const double p = Corrected(i);
        if (p > most) {
          most = p;
          weakest = i;
        }
      }
      if (most <= level_) return;
      places_.erase(places_.begin() + static_cast<ptrdiff_t>(weakest));
    }
  }

  // Searches again for each place between its neighbours. Returns true if a place moved.
  bool Refine() {
    bool moved = false;
    for (size_t i = 0; i < places_.size(); ++i) {
      const std::optional<size_t> best = BestPlace(Around(i));
      if (!best || Begin(i) + *best == places_[i]) continue;
      places_[i] = Begin(i) + *best;
      moved = true;
    }
    return moved;
  }

  std::span<const double> values_;
  double level_;
  std::vector<size_t> places_;
};

}  // namespace

std::vector<ChangePoint> FindChangePoints(std::span<const double> values, double level) {
  const bool finite =
      std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
  return finite ? Changes(values, level).Points() : std::vector<ChangePoint>();
}

}  // namespace gprofx::compare
