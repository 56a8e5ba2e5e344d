// How FindPhases (core/steps/phases.h) finds the steps of one process: one function for each kind
// of evidence. Steps come in order of time, without overlap; none = this evidence is not there or
// not clear. Pure. Used inside core/ only.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/profile.h"
#include "core/steps/phases.h"

namespace gprofx {

inline constexpr size_t kMinSteps = 4;  // fewer are no loop

// When an operation counts: its launch, or its begin where that is not known.
inline HostNs WhenLaunched(const PhaseOperation& operation) {
  return operation.launch > 0 ? operation.launch : operation.start;
}

// Of one process; operations in order of WhenLaunched and start, waits and markers in order of
// begin.
struct ProcessEvents {
  std::vector<PhaseOperation> operations;
  std::vector<PhaseWait> waits;
  std::vector<PhaseMarker> markers;
};

// A marker's name without its number where it says that it is a step; "" = it does not.
std::string StepKind(std::string_view name);

// Ranges whose name counts them ("ProfilerStep#12") or says what they are ("train_step").
std::vector<TimeRange> StepsByMarkers(const Profile& profile, std::span<const PhaseMarker> markers);

// For each node the outermost frame on its path that is a call of an optimizer's step; 0 = there is
// none, or a closure below it that computes the loss again.
std::vector<NodeId> OptimizerCalls(const Profile& profile);

// A step ends where the launches of an optimizer's call end: the next launch begins the next one.
std::vector<TimeRange> StepsByOptimizer(const ProcessEvents& events,
                                        std::span<const NodeId> optimizer_calls);

// Launches that repeat: some call paths come exactly once in each step, and what lies between is
// alike from step to step.
std::vector<TimeRange> StepsByLaunches(const Profile& profile, const ProcessEvents& events);

// The end of the last step, which no other follows: that of its work, and of the waiting for it.
HostNs EndOfWork(const ProcessEvents& events, size_t first_operation, HostNs end);

}  // namespace gprofx
