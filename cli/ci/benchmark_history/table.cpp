#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "cli/ci/benchmark_history/readers.h"

namespace gprofx {
namespace {

constexpr double kNotMeasured = std::numeric_limits<double>::quiet_NaN();
// The search for changes is quadratic in the number of versions.
constexpr size_t kMaxVersions = 1'000;
constexpr size_t kMoreVersions = 250;         // further ones that are held while reading
constexpr size_t kMaxCells = 50'000'000;      // benchmarks times versions
constexpr size_t kMaxNameBytes = 64'000'000;  // of all benchmarks together
constexpr size_t kLongestVersion = 200;       // bytes

}  // namespace

Status BenchmarkTable::CheckSize() const {
  const size_t kept = std::min(versions_.size(), kMaxVersions);
  if (ns_.size() * kept <= kMaxCells && name_bytes_ <= kMaxNameBytes) return Ok();
  return Error{ErrorId::kTooLarge, "the history has too many benchmarks and versions",
               "remove the results of old versions, or of some benchmarks"};
}

Status BenchmarkTable::Begin(std::string name, double order) {
  if (versions_.size() >= kMaxVersions + kMoreVersions) KeepNewest();
  versions_.emplace_back(order, name.substr(0, kLongestVersion));
  return CheckSize();
}

Status BenchmarkTable::Add(const std::string& benchmark, double ns) {
  if (!std::isfinite(ns) || ns <= 0) {
    ++not_positive_;
    return Ok();
  }
  const auto [series, is_new] = ns_.try_emplace(benchmark);
  if (is_new) name_bytes_ += benchmark.size();
  if (const Status fits = CheckSize(); !fits) return fits;
  if (series->second.size() == versions_.size()) return Ok();  // a name that occurs twice
  series->second.resize(versions_.size(), kNotMeasured);
  series->second.back() = ns;
  return Ok();
}

void BenchmarkTable::LeaveOut(const std::string& benchmark) {
  if (name_bytes_ > kMaxNameBytes) return;
  if (left_out_.try_emplace(benchmark).second) name_bytes_ += benchmark.size();
}

void BenchmarkTable::KeepNewest() {
  std::vector<size_t> order(versions_.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return versions_[a].first < versions_[b].first; });
  const size_t dropped = order.size() - std::min(order.size(), kMaxVersions);
  order.erase(order.begin(), order.begin() + static_cast<ptrdiff_t>(dropped));
  older_ += dropped;
  std::vector<std::pair<double, std::string>> versions;
  for (const size_t i : order) versions.push_back(std::move(versions_[i]));
  versions_ = std::move(versions);
  for (auto series = ns_.begin(); series != ns_.end();) {
    std::vector<double> sorted;
    sorted.reserve(order.size());
    for (const size_t i : order) {
      sorted.push_back(i < series->second.size() ? series->second[i] : kNotMeasured);
    }
    const bool is_measured =
        std::any_of(sorted.begin(), sorted.end(), [](double value) { return !std::isnan(value); });
    if (is_measured) {
      series->second = std::move(sorted);
      ++series;
    } else {  // only old versions have it
      name_bytes_ -= series->first.size();
      series = ns_.erase(series);
    }
  }
}

BenchmarkHistory BenchmarkTable::Finish() {
  KeepNewest();
  BenchmarkHistory history;
  history.older = older_;
  for (auto& [order, version] : versions_) history.versions.push_back(std::move(version));
  for (const auto& [name, values] : ns_) left_out_.erase(name);
  history.ns = std::move(ns_);
  history.left_out = left_out_.size();
  history.not_positive = not_positive_;
  return history;
}

std::map<std::string, std::vector<double>> BenchmarkHistory::WithAtLeast(size_t least) const {
  std::map<std::string, std::vector<double>> enough;
  for (const auto& [name, values] : ns) {
    const auto measured = std::count_if(values.begin(), values.end(),
                                        [](double value) { return !std::isnan(value); });
    if (measured > 0 && static_cast<size_t>(measured) >= std::min(least, versions.size())) {
      enough.emplace(name, values);
    }
  }
  return enough;
}

}  // namespace gprofx
