// Holds the markers of a recording: collects rows for the profile and counts what was lost.
//
// Limits how much a hostile target can make the profile grow. After kMaxNames different names, all
// others share one name. One thread. The profile must outlive it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/base/held_bytes.h"
#include "core/events/events.h"
#include "core/model/profile.h"

namespace gprofx {

struct MarkerCounts {
  int64_t markers = 0;  // ranges and moments that became rows
  int64_t dropped = 0;  // records that found no space in a stream
  // Ranges that were left out because there were too many of them and no GPU records.
  int64_t left_out = 0;
  int64_t unmatched = 0;  // ends without a begin, or begins without an end, including lost ones
  int64_t open = 0;       // ranges that were still open at the end, where they were closed
  int64_t without_thread = 0;  // records of threads that are not recorded
  int64_t bad = 0;             // invalid records

  void Add(const MarkerCounts& more);
};

class MarkerRun {
 public:
  static constexpr size_t kMaxNames = 200'000;

  explicit MarkerRun(Profile& profile) : profile_(profile) {}

  StringId Name(std::string_view text);
  void Add(const MarkerEvent& row);
  void Count(const MarkerCounts& more) { counts_.Add(more); }

  // Returns the rows that were added since the last call.
  EventTable TakeRows();
  size_t bytes() const { return HeldBytes(names_); }  // approximate, names only
  const MarkerCounts& counts() const { return counts_; }
  // Writes the counters whose names begin with "markers" to `quality`. Writes nothing if the
  // program had no markers.
  void Publish(std::map<std::string, int64_t>& quality) const;

 private:
  Profile& profile_;
  EventTable rows_{Stream::kMarkers};
  MarkerCounts counts_;
  std::unordered_map<std::string, StringId> names_;
};

}  // namespace gprofx
