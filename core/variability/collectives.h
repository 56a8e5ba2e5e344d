// Finds out which lane (event.h) waited for which other lane in collectives. Collectives of one
// group that overlap in time on different lanes are one operation. Until the last lane arrives, the
// others wait; after that, all lanes transfer data.
//
// Time is cut into slices (Plan::slices), which do not depend on the number of ranks. Each slice is
// matched on its own, so the ranks can divide the slices among themselves. All sums are integers
// and merge to the same result in any order. Used inside core/variability only. Pure; one thread
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
  // Busy and idle time (ns) of the lane since its previous collective; -1 = unknown.
  int64_t busy_before = -1, idle_before = -1;
  auto operator<=>(const CollectiveTally&) const = default;
};

void WriteCollectives(const std::vector<CollectiveTally>& all, ByteWriter& out);
// Appends the collectives in `in` to `all`. Returns false if the bytes are invalid, or if they
// contain a lane or group that the plan does not have.
bool ReadCollectives(ByteReader& in, const Plan& plan, std::vector<CollectiveTally>& all);

uint32_t SliceOf(const Plan& plan, int64_t start);

// Sorts `all` and keeps only the first Plan::most_collectives of each lane in each slice. The order
// in which sets are merged does not affect which ones are kept.
void KeepFirst(const Plan& plan, std::vector<CollectiveTally>& all);

// Unit of Matches::Lane::expected: one operation counts kCertain.
inline constexpr int64_t kCertain = int64_t{1} << 40;

struct Matches {
  struct Group {
    uint64_t n = 0;
    int64_t waiting = 0, transfer = 0;  // ns, sum over lanes
  };
  struct Lane {
    // Number of operations of the lane, and of those in which it arrived last.
    uint64_t n = 0, last = 0;
    // What `last` would be if all lanes arrived last equally often, in kCertain.
    int64_t expected = 0;
    int64_t waited = 0;  // ns that it waited for other lanes
    // Sum over operations of the ns from the arrival of the second to last lane to that of this
    // lane, if this lane arrived last.
    int64_t caused = 0;
    // Number of operations in `last` for which `busy` and `idle` are known.
    uint64_t known = 0;
    // Sums over these operations, in half ns: by how much the lane's busy and idle time before the
    // operation exceeded the median of the other lanes.
    int64_t busy = 0, idle = 0;
  };
  // Identifies a wait: in a step, `lane` waited for the lane `late`. `late_step` is -1 if the late
  // lane was in no step.
  struct Wait {
    uint32_t lane = 0;
    int64_t step = 0;
    uint32_t late = 0;
    int64_t late_step = 0;
    auto operator<=>(const Wait&) const = default;
  };
  std::map<uint32_t, Group> groups;
  std::map<uint32_t, Lane> lanes;
  std::map<uint32_t, int64_t> waiting;  // by shard: ns
  // By wait: ns from the arrival of the second to last lane to that of the last.
  std::map<Wait, int64_t> waits;

  bool HasLate() const;               // true if some lane arrived last in an operation
  bool Fits(const Plan& plan) const;  // true if all ids and steps exist in the plan
  void Merge(const Matches& other);
  void Write(ByteWriter& out) const;
  static bool Read(ByteReader& in, Matches& matches);
};

// Matches `all`, which must hold every collective of the slices that it covers.
Matches MatchCollectives(const Plan& plan, std::vector<CollectiveTally> all);

}  // namespace gprofx::variability
