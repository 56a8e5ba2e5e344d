#include "cli/top/step_window.h"

#include <algorithm>

#include "core/views/steps.h"

namespace gprofx {
namespace {

template <class Row>
void DropOldest(std::vector<Row>& rows) {
  if (rows.size() <= 2 * StepWindow::kMost) return;
  rows.erase(rows.begin(), rows.end() - static_cast<std::ptrdiff_t>(StepWindow::kMost));
}

ThreadId ThreadAt(const EventTable& rows, size_t column, size_t i) {
  return ThreadId{static_cast<uint32_t>(rows.column(column)[i])};
}

NodeId NodeAt(const EventTable& rows, size_t column, size_t i) {
  return NodeId{static_cast<uint32_t>(rows.column(column)[i])};
}

}  // namespace

void StepWindow::Take(const EventTable& rows) {
  for (size_t i = 0; i < rows.rows(); ++i) {
    if (rows.stream() == Stream::kKernels) {
      PhaseOperation operation;
      operation.start = rows.column(column::kKernelStart)[i];
      operation.end = operation.start + rows.column(column::kKernelDuration)[i];
      operation.launch = rows.column(column::kKernelLaunch)[i];
      operation.thread = ThreadAt(rows, column::kKernelThread, i);
      operation.node = NodeAt(rows, column::kKernelNode, i);
      operation.stream.value = static_cast<uint32_t>(rows.column(column::kKernelStream)[i]);
      events_.operations.push_back(operation);
    } else if (rows.stream() == Stream::kMarkers) {
      PhaseMarker marker;
      marker.begin = rows.column(column::kMarkerStart)[i];
      marker.end = marker.begin + rows.column(column::kMarkerDuration)[i];
      marker.thread = ThreadAt(rows, column::kMarkerThread, i);
      marker.name.value = static_cast<uint32_t>(rows.column(column::kMarkerName)[i]);
      marker.domain.value = static_cast<uint32_t>(rows.column(column::kMarkerDomain)[i]);
      events_.markers.push_back(marker);
    } else if (rows.stream() == Stream::kGpuLaunches) {
      events_.launches.push_back({rows.column(column::kLaunchTime)[i],
                                  ThreadAt(rows, column::kLaunchThread, i),
                                  NodeAt(rows, column::kLaunchNode, i)});
    }
  }
  DropOldest(events_.operations);
  DropOldest(events_.markers);
  DropOldest(events_.launches);
}

std::optional<TopSteps> StepWindow::Find(const Profile& profile, HostNs now) const {
  const Phases phases = FindPhases(profile, events_, now);
  if (phases.trains.empty()) return std::nullopt;
  const StepTrain& train = phases.trains[0];
  if (train.steps.size() < 2) return std::nullopt;
  const StepNumbers numbers = NumbersOf(train);
  // How long the last one takes is a guess: its end was not seen.
  const TimeRange& last = train.steps[train.steps.size() - 2];
  return TopSteps{numbers.median_ns, numbers.p95_ns, last.end - last.begin, numbers.count,
                  StepSourceName(train.source)};
}

}  // namespace gprofx
