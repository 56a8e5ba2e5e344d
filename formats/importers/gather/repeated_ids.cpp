#include "formats/importers/gather/repeated_ids.h"

#include <algorithm>
#include <tuple>

#include "formats/importers/gather/launching_nodes.h"
#include "formats/importers/gather/match_in_time.h"

namespace gprofx::importers {
namespace {

template <class Row>
std::tuple<uint32_t, ProcessId> KeyOf(const Row& row) {
  return {row.correlation, row.process};
}

template <class Rows>
auto EndOfKey(const Rows& rows, typename Rows::const_iterator begin) {
  return std::find_if(begin, rows.cend(),
                      [&](const auto& row) { return KeyOf(row) != KeyOf(*begin); });
}

}  // namespace

RepeatedIds::RepeatedIds(std::span<const LaunchCall> calls, const Profile& profile) {
  LaunchingNodes launching(profile);
  std::vector<Call> same;
  for (size_t begin = 0, end; begin < calls.size(); begin = end) {
    for (end = begin + 1; end < calls.size() && KeyOf(calls[end]) == KeyOf(calls[begin]);) ++end;
    if (end - begin < 2) continue;
    const auto here = calls.subspan(begin, end - begin);
    const auto launches = [&](const LaunchCall& call) { return launching.Contains(call.node); };
    const bool some_launch = std::any_of(here.begin(), here.end(), launches);
    same.clear();
    bool has_several_threads = false;
    for (size_t i = begin; i < end; ++i) {
      if (some_launch && !launches(calls[i])) continue;
      same.push_back({calls[i].correlation, calls[i].process, calls[i].start, i});
      has_several_threads |= calls[i].thread != calls[same.front().position].thread;
    }
    if (has_several_threads) calls_.insert(calls_.end(), same.begin(), same.end());
  }
}

bool RepeatedIds::Contains(ProcessId process, uint32_t correlation) const {
  const std::tuple wanted(correlation, process);
  const auto found =
      std::lower_bound(calls_.begin(), calls_.end(), wanted,
                       [](const Call& call, const auto& key) { return KeyOf(call) < key; });
  return found != calls_.end() && KeyOf(*found) == wanted;
}

void RepeatedIds::Match(std::vector<RepeatedWork>& work) const {
  std::erase_if(work,
                [&](const RepeatedWork& one) { return !Contains(one.process, one.correlation); });
  std::stable_sort(work.begin(), work.end(), [](const RepeatedWork& a, const RepeatedWork& b) {
    return std::tuple(KeyOf(a), a.start) < std::tuple(KeyOf(b), b.start);
  });
  auto call = calls_.cbegin();
  for (auto begin = work.begin(); begin != work.end();) {
    const auto end = work.begin() + (EndOfKey(work, begin) - work.cbegin());
    while (KeyOf(*call) != KeyOf(*begin)) ++call;
    std::vector<int64_t> calls, starts;
    for (auto at = call, last = EndOfKey(calls_, call); at != last; ++at) {
      calls.push_back(at->start);
    }
    for (auto at = begin; at != end; ++at) starts.push_back(at->start);
    const std::vector<size_t> found = MatchInTime(calls, starts);
    for (auto at = begin; at != end; ++at) {
      const size_t index = found[static_cast<size_t>(at - begin)];
      at->call = call[index == kNoCall ? 0 : static_cast<std::ptrdiff_t>(index)].position;
    }
    begin = end;
  }
}

}  // namespace gprofx::importers
