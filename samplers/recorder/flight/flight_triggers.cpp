#include "samplers/recorder/flight/flight_triggers.h"

#include <utility>

#include "core/steps/step_finders.h"

namespace gprofx::recorder {

void FlightTriggers::AddMarkers(const Profile& profile, const EventTable& rows) {
  if (!watch_.wants(WhenWhat::kStep)) return;
  for (size_t i = 0; i < rows.rows(); ++i) {
    const auto at = [&](size_t column) { return rows.column(column)[i]; };
    const StringId name{static_cast<uint32_t>(at(column::kMarkerName))};
    const std::string kind = StepKind(profile.Text(name));
    if (kind.empty()) continue;
    saw_steps_ = true;
    const auto thread = static_cast<uint32_t>(at(column::kMarkerThread));
    watch_.AddStep(thread, kind, at(column::kMarkerDuration));
  }
}

void FlightTriggers::AddWork(const EventTable& rows) {
  const bool work = rows.stream() == Stream::kKernels || rows.stream() == Stream::kCopies ||
                    rows.stream() == Stream::kSets;
  if (work) watch_.AddWork(rows);
}

void FlightTriggers::Look(HostNs now, int64_t rss, int signals) {
  watch_.Look(now, rss);
  const std::optional<std::string> rule = watch_.Take();
  const bool signal = std::exchange(signals_, signals) != signals;
  if (!rule && !signal) return;
  const bool soon = last_ && now - *last_ < kApart;
  if (!wanted_ && signal) {
    wanted_ = "SIGUSR2";
  } else if (!wanted_ && !soon && by_rules_ < kMax) {
    wanted_ = *rule;
    ++by_rules_;
  } else if (rule) {
    ++not_written_;
  }
}

void FlightTriggers::Written(HostNs now) {
  wanted_.reset();
  last_ = now;
}

bool FlightTriggers::TakeFull() {
  return by_rules_ >= kMax && !wanted_ && !std::exchange(said_full_, true);
}

}  // namespace gprofx::recorder
