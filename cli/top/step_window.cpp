#include "cli/top/step_window.h"

#include <algorithm>

#include "core/slice/part_rows.h"
#include "core/views/steps.h"

namespace gprofx {
namespace {

template <class Row>
void DropOldest(std::vector<Row>& rows) {
  if (rows.size() <= 2 * StepWindow::kMax) return;
  rows.erase(rows.begin(), rows.end() - static_cast<std::ptrdiff_t>(StepWindow::kMax));
}

}  // namespace

void StepWindow::Take(const Profile& profile, const EventTable& rows) {
  AddPartRows(rows, profile, rows_);
  rows_.queue_full.clear();
  rows_.looks.clear();
  rows_.windows.clear();
  rows_.events.waits.clear();
  DropOldest(rows_.events.operations);
  DropOldest(rows_.events.markers);
  DropOldest(rows_.events.launches);
}

std::optional<TopSteps> StepWindow::Find(const Profile& profile, HostNs now) const {
  const Phases phases = FindPhases(profile, rows_.events, now);
  if (phases.trains.empty()) return std::nullopt;
  const StepTrain& train = phases.trains[0];
  if (train.steps.size() < 2) return std::nullopt;
  const StepNumbers numbers = NumbersOf(train);
  // Show the duration of the last step but one. The end of the last step is not recorded yet, and
  // its duration is a guess.
  const TimeRange& last = train.steps[train.steps.size() - 2];
  return TopSteps{numbers.median_ns, numbers.p95_ns, last.end - last.begin, numbers.count,
                  StepSourceName(train.source)};
}

}  // namespace gprofx
