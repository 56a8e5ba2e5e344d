// Finds the steps of one process for FindPhases (core/steps/phases.h): one function for each kind
// of evidence. The functions return steps in order of time, without overlap. An empty result means
// that the evidence is missing or not clear. Pure. Used inside core/ only.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/profile.h"
#include "core/steps/phases.h"

namespace gprofx {

inline constexpr size_t kMinSteps = 4;  // fewer passes are not a loop

// Returns the time that decides to which step an operation belongs: its launch, or its begin if the
// launch is unknown.
inline HostNs WhenLaunched(const PhaseOperation& operation) {
  return operation.launch > 0 ? operation.launch : operation.start;
}

// Events of one process. Operations are sorted by WhenLaunched and start, waits and markers by
// begin.
struct ProcessEvents {
  std::vector<PhaseOperation> operations;
  std::vector<PhaseWait> waits;
  std::vector<PhaseMarker> markers;
};

// If a marker names a step, returns its name without the number; otherwise "".
std::string StepKind(std::string_view name);

// Finds steps by ranges with a step number ("ProfilerStep#12") or a name for a step ("train_step").
std::vector<TimeRange> StepsByMarkers(const Profile& profile, std::span<const PhaseMarker> markers);

// Returns, for each node, the outermost frame on its path that is a call of an optimizer's step.
// The result is 0 if there is none, or if a closure below the call recomputes the loss.
std::vector<NodeId> OptimizerCalls(const Profile& profile);

// Finds steps by calls of an optimizer: a step ends with the launches of the call, and the next
// launch begins the next step.
std::vector<TimeRange> StepsByOptimizer(const ProcessEvents& events,
                                        std::span<const NodeId> optimizer_calls);

// Finds steps by repeating launches: some call paths occur exactly once in each step, and the
// launches in between are similar from step to step.
std::vector<TimeRange> StepsByLaunches(const Profile& profile, const ProcessEvents& events);

// Returns the end of the last step: the end of its GPU work and of waiting for that. Needed because
// no step follows that would end it.
HostNs EndOfWork(const ProcessEvents& events, size_t first_operation, HostNs end);

}  // namespace gprofx
