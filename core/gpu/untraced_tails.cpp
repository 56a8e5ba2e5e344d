#include "core/gpu/untraced_tails.h"

#include <algorithm>
#include <limits>

namespace gprofx {
namespace {

constexpr HostNs kUnknown = std::numeric_limits<HostNs>::max();

bool WaitsForAll(std::string_view call) {
  return call.starts_with("cuCtxSynchronize") || call.starts_with("cuStreamSynchronize");
}

}  // namespace

void UntracedTails::Begin(HostNs end) { tails_.push_back({end, kUnknown}); }

UntracedTails::Tail* UntracedTails::At(HostNs time) {
  const auto after = std::upper_bound(tails_.begin(), tails_.end(), time,
                                      [](HostNs at, const Tail& tail) { return at < tail.begin; });
  return after == tails_.begin() ? nullptr : &*std::prev(after);
}

void UntracedTails::AddKernel(HostNs launch, HostNs start) {
  if (Tail* tail = At(launch)) tail->end = std::min(tail->end, start);
}

void UntracedTails::AddWait(std::string_view call, HostNs end) {
  if (!WaitsForAll(call)) return;
  if (Tail* tail = At(end)) tail->end = std::min(tail->end, end);
}

std::vector<TimeRange> UntracedTails::Take(HostNs before) {
  std::vector<TimeRange> ranges;
  for (; Has(before); tails_.pop_front()) {
    const Tail& tail = tails_.front();
    if (tail.end != kUnknown && tail.end > tail.begin) ranges.push_back({tail.begin, tail.end});
  }
  return ranges;
}

}  // namespace gprofx
