// Finds the steps of one process for FindPhases (core/steps/phases.h): one function for each kind
// of evidence. Steps are in order of time, without overlap; empty = this evidence is missing or not
// clear. Pure. Used inside core/ only.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/profile.h"
#include "core/steps/phases.h"

namespace gprofx {

inline constexpr size_t kMinSteps = 4;  // fewer are not a loop

// The time that assigns an operation to a step: its launch, or its begin if that is unknown.
inline HostNs WhenLaunched(const PhaseOperation& operation) {
  return operation.launch > 0 ? operation.launch : operation.start;
}

// Events of one process; operations in order of WhenLaunched and start, waits and markers in order
// of begin.
struct ProcessEvents {
  std::vector<PhaseOperation> operations;
  std::vector<PhaseWait> waits;
  std::vector<PhaseMarker> markers;
};

// Returns a marker's name without its number if it names a step, otherwise "".
std::string StepKind(std::string_view name);

// Finds ranges with a step number ("ProfilerStep#12") or a name for a step ("train_step").
std::vector<TimeRange> StepsByMarkers(const Profile& profile, std::span<const PhaseMarker> markers);

// Returns for each node the outermost frame on its path that is a call of an optimizer's step; 0 =
// none, or a closure below it recomputes the loss.
std::vector<NodeId> OptimizerCalls(const Profile& profile);

// A step ends with the launches of an optimizer's call: the next launch begins the next step.
std::vector<TimeRange> StepsByOptimizer(const ProcessEvents& events,
                                        std::span<const NodeId> optimizer_calls);

// Finds repeating launches: some call paths occur exactly once in each step, and the launches in
// between are alike from step to step.
std::vector<TimeRange> StepsByLaunches(const Profile& profile, const ProcessEvents& events);

// Returns the end of the last step, which has no successor: the end of its work and of waiting for
// it.
HostNs EndOfWork(const ProcessEvents& events, size_t first_operation, HostNs end);

}  // namespace gprofx
