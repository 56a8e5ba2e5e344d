// Collectives across lanes (event.h): which lane waited for which. Collectives of one group on
// different lanes that overlap in time are one operation. Until the last lane arrives, the others
// wait; from then on, all transfer.
//
// Time is cut into slices (Plan::slices), which do not depend on the number of ranks. Each slice is
// matched independently, so that ranks can share the slices. All sums are integers and merge to the
// same result in any order. Used inside core/variability only. Pure; one thread per object.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/variability/plan.h"

namespace gprofx::variability {

struct CollectiveTally {
  uint32_t lane = 0;
  int64_t start = 0;
  uint32_t group = 0;
  int64_t end = 0;
  int64_t busy_before = -1, idle_before = -1;  // since the previous collective; -1 = unknown
  auto operator<=>(const CollectiveTally&) const = default;
};

void WriteCollectives(const std::vector<CollectiveTally>& all, ByteWriter& out);
// Appends to `all`. Returns false if the bytes are invalid or refer to something that is not in the
// plan.
bool ReadCollectives(ByteReader& in, const Plan& plan, std::vector<CollectiveTally>& all);

uint32_t SliceOf(const Plan& plan, int64_t start);

// Sorts `all` and keeps only the first Plan::most_collectives of each lane in each slice. Which
// ones are kept does not depend on the order in which sets are merged.
void KeepFirst(const Plan& plan, std::vector<CollectiveTally>& all);

inline constexpr int64_t kCertain = int64_t{1} << 40;  // unit of Matches::Lane::expected

struct Matches {
  struct Group {
    uint64_t n = 0;
    int64_t waiting = 0, transfer = 0;  // ns, sum over lanes
  };
  struct Lane {
    uint64_t n = 0, last = 0;    // operations; those in which it came last
    int64_t expected = 0;        // expected `last` if all lanes were alike, in kCertain
    int64_t waited = 0;          // ns
    int64_t caused = 0;          // ns that it came after the second to last
    uint64_t known = 0;          // part of `last` with the two values below
    int64_t busy = 0, idle = 0;  // half ns above the others' median, before it came last
  };
  // Wait of a lane's step for another lane's step; late_step -1: the late lane was in no step.
  struct Wait {
    uint32_t lane = 0;
    int64_t step = 0;
    uint32_t late = 0;
    int64_t late_step = 0;
    auto operator<=>(const Wait&) const = default;
  };
  std::map<uint32_t, Group> groups;
  std::map<uint32_t, Lane> lanes;
  std::map<uint32_t, int64_t> waiting;  // ns, by shard
  std::map<Wait, int64_t> waits;        // ns after the second to last

  bool HasLate() const;               // true if a lane came last in any operation
  bool Fits(const Plan& plan) const;  // true if all ids and steps exist in the plan
  void Merge(const Matches& other);
  void Write(ByteWriter& out) const;
  static bool Read(ByteReader& in, Matches& matches);
};

// `all` must hold every collective of the slices concerned.
Matches MatchCollectives(const Plan& plan, std::vector<CollectiveTally> all);

}  // namespace gprofx::variability
