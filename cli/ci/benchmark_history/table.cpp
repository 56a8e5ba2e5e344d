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
constexpr size_t kMaxCells = 50'000'000;      // benchmarks times versions
constexpr size_t kMaxNameBytes = 64'000'000;  // of all benchmarks together
constexpr size_t kLongestVersion = 200;       // bytes

}  // namespace

Status BenchmarkTable::CheckSize() const {
  if (ns_.size() * versions_.size() <= kMaxCells && name_bytes_ <= kMaxNameBytes) return Ok();
  return Error{ErrorId::kTooLarge, "the history has too many benchmarks and versions",
               "remove the results of old versions, or of some benchmarks"};
}

Status BenchmarkTable::Begin(std::string name, double order) {
  versions_.emplace_back(order, name.substr(0, kLongestVersion));
  return CheckSize();
}

Status BenchmarkTable::Add(const std::string& benchmark, double ns) {
  if (!std::isfinite(ns) || ns <= 0) return Ok();
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

BenchmarkHistory BenchmarkTable::Finish() {
  std::vector<size_t> order(versions_.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return versions_[a].first < versions_[b].first; });
  BenchmarkHistory history;
  history.older = order.size() - std::min(order.size(), kMaxVersions);
  order.erase(order.begin(), order.begin() + static_cast<ptrdiff_t>(history.older));
  for (const size_t i : order) history.versions.push_back(std::move(versions_[i].second));
  for (auto& [name, found] : ns_) {
    std::vector<double>& sorted = history.ns[name];
    for (const size_t i : order) sorted.push_back(i < found.size() ? found[i] : kNotMeasured);
    found = {};
    left_out_.erase(name);
  }
  history.left_out = left_out_.size();
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
