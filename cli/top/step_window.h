// Finds the steps of a running program in its recent activity, by the rules of reports
// (core/steps/phases.h). Keeps at most kMax rows of each kind and drops the oldest ones. Pure; one
// thread.
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
  // Returns the steps. Returns nullopt if no steps are found. Takes O(n log n) in the number of
  // rows that are kept.
  std::optional<TopSteps> Find(const Profile& profile, HostNs now) const;
  bool empty() const { return rows_.events.operations.empty() && rows_.events.markers.empty(); }

 private:
  PartEvents rows_;  // operations, markers and launches
};

}  // namespace gprofx
