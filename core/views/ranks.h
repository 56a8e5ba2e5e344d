// The ranks of a parallel run side by side: the recordings that a profile was merged from, or, of
// one recording, its processes that use a GPU.
//
// Who is slow is not who takes long: all ranks of a step end together, and the others spend the
// difference inside their collectives. So the slowest rank is the one with the least time in
// communication; where there is none, the one with the most GPU time, then CPU time. Linear in
// nodes and values. Invariant: the sum of a row over all ranks, and over what is of no rank, is the
// row's self. Pure.
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

// What is compared of whole ranks, in ns.
enum class RankFact : uint8_t { kCpu, kGpu, kCommunication, kGpuWait };
inline constexpr size_t kRankFacts = 4;

struct Rank {
  std::string name;                // "rank 3", "run 2", "train.py (4711)"; unescaped
  std::string host;                // "" = unknown, or the same for all
  int64_t facts[kRankFacts] = {};  // by RankFact; of the whole profile, whatever filters keep
};

// Of one value over all ranks.
struct Spread {
  int64_t least = 0, mean = 0, most = 0;
  size_t most_in = 0;  // rank, by position; of equal ones the first
};

struct Ranks {
  static constexpr uint32_t kNone = UINT32_MAX;
  std::vector<Rank> ranks;
  std::vector<uint32_t> of_thread;  // ThreadId::index() -> position in `ranks`, or kNone
  Spread facts[kRankFacts];
  std::optional<size_t> slowest;  // nothing where no rank differs by 1 %
  RankFact slowest_by = RankFact::kCommunication;
};

// "train.py rank 3 local 1", as processes of a launcher are called: the program and the number.
struct RankedName {
  std::string_view program;
  int32_t rank = -1;  // -1 = none, then `program` is the whole name
};
RankedName SplitRank(std::string_view name);

// The rank of a process by its name, else by the recording that it comes from; -1 = unknown.
int32_t RankOf(const Profile& profile, ProcessId process);

// Nothing where there are fewer than two.
std::optional<Ranks> FindRanks(const Profile& profile);

// Self of each row in each rank: [row][rank]. `holder_of` and `tree` are of one BuildCallTree,
// `groups` and `rows` of the tree; only the first `shown` rows are looked at.
std::vector<std::vector<int64_t>> SelfByRank(const Profile& profile, MetricId metric,
                                             const std::vector<uint32_t>& holder_of,
                                             const Groups& groups, const std::vector<Row>& rows,
                                             size_t shown, const Ranks& ranks);

Spread SpreadOf(const std::vector<int64_t>& by_rank);  // of at least one

}  // namespace gprofx
