#include "formats/importers/gather/match_in_time.h"

#include <algorithm>

namespace gprofx::importers {
namespace {

// Each call needs one piece of work. A call that has more can give the rest to earlier calls that
// have none. Returns for each call how many earlier calls have none after the calls before it have
// given what they can.
std::vector<size_t> NeedBefore(const std::vector<size_t>& counts) {
  std::vector<size_t> needs(counts.size());
  size_t need = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    needs[i] = need;
    need = counts[i] == 0 ? need + 1 : need - std::min(need, counts[i] - 1);
  }
  return needs;
}

}  // namespace

std::vector<size_t> MatchInTime(std::span<const int64_t> calls, std::span<const int64_t> work) {
  std::vector<size_t> counts(calls.size());
  size_t next = 0;
  for (const int64_t start : work) {
    while (next < calls.size() && calls[next] <= start + kClockError) ++next;
    if (next > 0) ++counts[next - 1];
  }
  const std::vector<size_t> needs = NeedBefore(counts);
  std::vector<size_t> found(work.size(), kNoCall);
  size_t end = work.size(), held = 0;
  for (size_t i = counts.size(); i-- > 0;) {
    held += counts[i];
    const size_t kept = held - held * needs[i] / (needs[i] + 1);
    std::fill_n(found.begin() + static_cast<std::ptrdiff_t>(end - kept), kept, i);
    end -= kept;
    held -= kept;
  }
  return found;
}

}  // namespace gprofx::importers
