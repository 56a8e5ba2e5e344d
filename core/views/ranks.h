// Compares the ranks of a parallel run. Ranks are the recordings from which a profile was merged.
// In a single recording, they are the processes that use a GPU.
//
// All ranks end a step together, because the fast ranks wait inside their collectives for the slow
// ones. The slowest rank is therefore the one with the least time in communication. Without
// communication it is the one with the most GPU time, then CPU time. Linear in nodes and values.
// Invariant: a row's values in all ranks, and its values outside of ranks, add up to the row's
// self. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/profile.h"
#include "core/views/call_tree.h"
#include "core/views/rows.h"

namespace gprofx {

// Totals by which ranks are compared, in ns.
enum class RankFact : uint8_t { kCpu, kGpu, kCommunication, kGpuWait };
inline constexpr size_t kRankFacts = 4;

struct Rank {
  std::string name;                // "rank 3", "run 2", "train.py (4711)"; unescaped
  std::string host;                // "" = unknown, or the same for all
  int64_t facts[kRankFacts] = {};  // by RankFact; of the whole profile, whatever the filters
};

// Distribution of one value over all ranks.
struct Spread {
  int64_t least = 0, mean = 0, most = 0;
  size_t most_in = 0;  // index of the first rank with the maximum
};

struct Ranks {
  static constexpr uint32_t kNone = UINT32_MAX;
  std::vector<Rank> ranks;
  std::vector<uint32_t> of_thread;  // by ThreadId::index(): index in `ranks`, or kNone
  Spread facts[kRankFacts];
  std::optional<size_t> slowest;  // unset if all ranks are within 1 %
  RankFact slowest_by = RankFact::kCommunication;
};

// The name that a launcher gives to a process, such as "train.py rank 1 local 1", split into
// program and rank.
struct RankedName {
  std::string_view program;
  int32_t rank = -1;  // -1 = none; then `program` is the whole name
};
RankedName SplitRank(std::string_view name);

// Returns the rank in the name of the process or, if it has none, that of its recording; -1 =
// unknown.
int32_t RankOf(const Profile& profile, ProcessId process);

// Returns the ranks of the profile. No value if there are fewer than two.
std::optional<Ranks> FindRanks(const Profile& profile);

// Returns the self value of each row in each rank: [row][rank]. `holder_of` and `tree` must come
// from the same call of BuildCallTree, `groups` and `rows` from that tree. The result has only the
// first `shown` rows.
std::vector<std::vector<int64_t>> SelfByRank(const Profile& profile, MetricId metric,
                                             const std::vector<uint32_t>& holder_of,
                                             const Groups& groups, const std::vector<Row>& rows,
                                             size_t shown, const Ranks& ranks);

Spread SpreadOf(const std::vector<int64_t>& by_rank);  // there must be at least one rank

}  // namespace gprofx
