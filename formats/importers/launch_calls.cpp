#include "formats/importers/launch_calls.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace gprofx::importers {
namespace {

bool IsEarlier(const LaunchCall& a, const LaunchCall& b) {
  return std::tie(a.correlation, a.process, a.start) < std::tie(b.correlation, b.process, b.start);
}

bool IsWithin(const LaunchCall& inner, const LaunchCall& outer) {
  return inner.thread == outer.thread && inner.start >= outer.start &&
         inner.start <= outer.start + outer.duration;
}

}  // namespace

LaunchIds::LaunchIds(std::vector<uint32_t> ids) : ids_(std::move(ids)) {
  std::sort(ids_.begin(), ids_.end());
  ids_.erase(std::unique(ids_.begin(), ids_.end()), ids_.end());
  if (!ids_.empty() && ids_.front() == 0) ids_.erase(ids_.begin());
}

bool LaunchIds::Contains(uint32_t id) const {
  return std::binary_search(ids_.begin(), ids_.end(), id);
}

void LaunchCalls::Sort() {
  std::stable_sort(calls_.begin(), calls_.end(), IsEarlier);
  const auto is_nested = [](const LaunchCall& outer, const LaunchCall& call) {
    return call.correlation == outer.correlation && call.process == outer.process &&
           IsWithin(call, outer);
  };
  calls_.erase(std::unique(calls_.begin(), calls_.end(), is_nested), calls_.end());
}

// Returns the position after the last call of this process with this id that began at or before
// `start`.
std::vector<LaunchCall>::const_iterator LaunchCalls::After(uint32_t correlation, ProcessId process,
                                                           int64_t start) const {
  LaunchCall wanted;
  wanted.correlation = correlation;
  wanted.process = process;
  wanted.start = start;
  return std::upper_bound(calls_.begin(), calls_.end(), wanted, IsEarlier);
}

LaunchCall* LaunchCalls::Find(ProcessId process, uint32_t correlation, int64_t start) {
  if (correlation == 0) return nullptr;
  const auto is_one = [&](const LaunchCall& call) {
    return call.correlation == correlation && call.process == process;
  };
  const auto after = After(correlation, process, start) - calls_.begin();
  if (after > 0 && is_one(calls_[static_cast<size_t>(after - 1)]))
    return &calls_[static_cast<size_t>(after - 1)];
  // No call began before the work. Take the next one, because on the clocks of some devices work
  // begins before its call.
  const bool is_late =
      static_cast<size_t>(after) < calls_.size() && is_one(calls_[static_cast<size_t>(after)]);
  return is_late ? &calls_[static_cast<size_t>(after)] : nullptr;
}

}  // namespace gprofx::importers
