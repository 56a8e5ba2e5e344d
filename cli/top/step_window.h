// Finds the steps of the running program, as in a report (core/steps/phases.h), from its recent
// activity.
//
// Bounded by kMax rows of each kind; the oldest are dropped. Pure; one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "cli/top/snapshot.h"
#include "core/events/events.h"
#include "core/model/profile.h"
#include "core/slice/part_builder.h"
#include "core/steps/phases.h"

namespace gprofx {

class StepWindow {
 public:
  static constexpr size_t kMax = 20'000;

  void Take(const Profile& profile, const EventTable& rows);
  // Returns nothing if no steps are found. O(n log n) in the rows that are kept.
  std::optional<TopSteps> Find(const Profile& profile, HostNs now) const;
  bool empty() const { return rows_.events.operations.empty() && rows_.events.markers.empty(); }

 private:
  PartEvents rows_;  // operations, markers and launches
};

}  // namespace gprofx
