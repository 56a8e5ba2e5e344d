// Collectives that several lanes took part in: who waited for whom. Those of a group that overlap
// in time are one operation; until the last lane has come the others wait, from then on all
// transfer.
//
// Time is cut into slices (Plan::slices), the same ones whatever the number of ranks, and a slice
// is matched by itself, so that ranks have some each where there are enough. All sums are whole
// numbers: they merge to the same in any order. Used inside core/variability only. Pure; one thread
// per object.
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
  int64_t busy_before = -1, idle_before = -1;  // since the collective before; -1 = not known
  auto operator<=>(const CollectiveTally&) const = default;
};

void WriteCollectives(const std::vector<CollectiveTally>& all, ByteWriter& out);
// Appends. False: they cannot be read, or are none of the plan's.
bool ReadCollectives(ByteReader& in, const Plan& plan, std::vector<CollectiveTally>& all);

uint32_t SliceOf(const Plan& plan, int64_t start);

// Of each lane the first ones in each slice: a set that merges to the same in any order. Sorts.
void KeepFirst(const Plan& plan, std::vector<CollectiveTally>& all);

inline constexpr int64_t kCertain = int64_t{1} << 40;  // unit of an expected number

struct Matches {
  struct Group {
    uint64_t n = 0;
    int64_t waiting = 0, transfer = 0;  // ns, of all lanes
  };
  struct Lane {
    uint64_t n = 0, last = 0;    // operations; those in which it came last
    int64_t expected = 0;        // times last if all were alike, in kCertain
    int64_t waited = 0;          // ns
    int64_t caused = 0;          // ns that it came behind the one before it
    uint64_t known = 0;          // of `last`: those with the two below
    int64_t busy = 0, idle = 0;  // half ns more than the others before it came last
  };
  // What a step of a lane waited for a step of another one; -1: that was in none.
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
  std::map<Wait, int64_t> waits;        // ns behind the one before the last

  bool HasLate() const;               // is there one that came last?
  bool Fits(const Plan& plan) const;  // are these lanes, groups, shards and steps the plan's?
  void Merge(const Matches& other);
  void Write(ByteWriter& out) const;
  static bool Read(ByteReader& in, Matches& matches);
};

// `all`: every collective of the slices that these are.
Matches MatchCollectives(const Plan& plan, std::vector<CollectiveTally> all);

}  // namespace gprofx::variability
