#include "core/model/merge_facts.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/base/arithmetic.h"

namespace gprofx {
namespace {

// Position of a part in the order of core/gpu/gpu.h. Parts that are not listed there by name, such
// as waiting calls, have kOtherRank and are sorted by name; they follow the busy parts.
constexpr int kOtherRank = 0;
int WallRank(const WallPart& part) {
  constexpr const char* kBefore[] = {"gpu.compute", "gpu.communication", "gpu.copy"};
  constexpr const char* kAfter[] = {"idle.queue_full", "idle.python",     "idle.data_loading",
                                    "idle.cuda_call",  "idle.native",     "idle.blocked",
                                    "idle.profiling",  "idle.unexplained"};
  const auto at = [&](const auto& names) {
    return static_cast<int>(std::find(std::begin(names), std::end(names), part.name) -
                            std::begin(names));
  };
  constexpr int kBefores = std::size(kBefore), kAfters = std::size(kAfter);
  if (const int before = at(kBefore); before < kBefores) return before - kBefores;
  const int after = at(kAfter);
  return after < kAfters ? after + 1 : kOtherRank;
}

// Maximum margin in ns (146 years). Larger ones come from corrupt files.
constexpr double kLargestMargin = 4.6e18;

}  // namespace

bool HoldsLargest(const std::string& counter) {
  return counter.ends_with("_median_ns") || counter.ends_with("_p99_ns") ||
         counter.starts_with("longest_") || counter == "perf_interrupt_ns" ||
         counter == "gpu_host_is_limit" || counter == "sparse_samples_periods" ||
         counter == "paused_ns";
}

void JoinCounters(std::map<std::string, int64_t>& into,
                  const std::map<std::string, int64_t>& from) {
  for (const auto& [name, value] : from) {
    const auto [found, is_new] = into.try_emplace(name, value);
    if (is_new) continue;
    int64_t& there = found->second;
    there = HoldsLargest(name) ? std::max(there, value) : AddSaturated(there, value);
  }
}

void KeepShared(std::map<std::string, std::string>& into,
                const std::map<std::string, std::string>& from) {
  std::erase_if(into, [&](const auto& fact) {
    const auto other = from.find(fact.first);
    return other == from.end() || other->second != fact.second;
  });
}

void AddWall(std::vector<WallPart>& into, const std::vector<WallPart>& from) {
  for (const WallPart& part : from) {
    const auto found = std::find_if(into.begin(), into.end(),
                                    [&](const WallPart& p) { return p.name == part.name; });
    if (found == into.end()) {
      into.push_back(part);
    } else {
      found->ns = AddSaturated(found->ns, part.ns);
      // The recordings are independent, so the square of the common margin is the sum of the
      // squares.
      const double margin =
          std::hypot(static_cast<double>(found->margin_ns), static_cast<double>(part.margin_ns));
      found->margin_ns = margin < kLargestMargin ? std::llround(margin) : found->ns;
    }
  }
  std::stable_sort(into.begin(), into.end(), [](const WallPart& a, const WallPart& b) {
    const int rank_a = WallRank(a), rank_b = WallRank(b);
    return rank_a != rank_b ? rank_a < rank_b : rank_a == kOtherRank && a.name < b.name;
  });
}

}  // namespace gprofx
