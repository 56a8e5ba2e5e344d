#include "core/gpu/collective_clock.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "core/base/arithmetic.h"
#include "core/base/quantile.h"
#include "core/kernels/kernel_family.h"
#include "core/wall/wall_partition.h"

namespace gprofx {
namespace {

constexpr size_t kFewestPairs = 8;
// Maximum trusted `spread`. Within a cluster, a collective ends on all ranks within this time.
constexpr HostNs kLargestSpread = 500'000;

using EndsByName = std::map<StringId, std::vector<HostNs>>;

EndsByName Sorted(std::span<const CollectiveEnd> ends) {
  EndsByName by_name;
  for (const CollectiveEnd& one : ends) by_name[one.name].push_back(one.end);
  for (auto& [name, times] : by_name) std::sort(times.begin(), times.end());
  return by_name;
}

}  // namespace

bool IsCollective(std::string_view kernel_name) {
  return IsCommunicationKernel(kernel_name) &&
         kernel_name.find("SendRecv") == std::string_view::npos;
}

ClockCorrection CorrectClock(std::span<const CollectiveEnd> reference,
                             std::span<const CollectiveEnd> other) {
  const EndsByName here = Sorted(reference), there = Sorted(other);
  std::vector<HostNs> differences;
  for (const auto& [name, ends] : here) {
    const auto found = there.find(name);
    if (found == there.end()) continue;
    const size_t pairs = std::min(ends.size(), found->second.size());
    for (size_t i = 0; i < pairs; ++i) {
      differences.push_back(SubtractSaturated(ends[i], found->second[i]));
    }
  }
  ClockCorrection correction;
  correction.pairs = differences.size();
  if (differences.empty()) return correction;
  correction.add = Median(differences);
  for (HostNs& difference : differences) {
    const HostNs distance = SubtractSaturated(difference, correction.add);
    difference = distance < 0 ? SubtractSaturated(0, distance) : distance;
  }
  correction.spread = Median(differences);
  correction.trusted = correction.pairs >= kFewestPairs && correction.spread <= kLargestSpread;
  return correction;
}

}  // namespace gprofx
