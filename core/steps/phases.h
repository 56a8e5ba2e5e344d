// Finds the steps of a recording, that is, the passes of a job's main loop, and its phases:
// start-up, warm-up, steady state and end.
//
// The begins of steps are found by the first of these that gives clear evidence: by markers
// (ProfilerStep#N and other numbered ranges), by the calls of an optimizer (Optimizer.step in the
// call paths of launches), or by the launches alone (call paths that occur once in each pass).
// Without clear evidence there are no steps, and without steps there is no steady phase. A program
// without a GPU has no steps, unless it marks them; if it is a Python program, its phases are
// start-up and work (core/steps/start_up.h). If launches or records were lost, only markers count.
// If GPU work was recorded only part of the time, steps are found by the launches, which are
// counted all the time.
//
// Phases are in order of time, without gap or overlap, from 0 to the end of the recording:
//   start-up   until the first step; without steps until the first GPU work; without a GPU until
//              the imports end
//   warm-up    the first steps, as long as they take longer than those that follow
//   steady     the other steps
//   end        after the last step
//   work       without steps: everything after start-up
// Phases are made from the steps of the process with most GPU work. If the steps of other processes
// are at other times, as of programs that run one after the other, the steps are kept but no phases
// are made from them. Empty phases are left out. Pure; one thread. Times are HostNs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/model/ids.h"

namespace gprofx {

class Profile;

struct TimeRange {  // [begin, end)
  HostNs begin = 0, end = 0;
  auto operator<=>(const TimeRange&) const = default;
};

enum class PhaseKind : uint8_t {  // numbers as in table `phase`
  kStartUp = 1,
  kWarmUp = 2,
  kSteady = 3,
  kEnd = 4,
  kWork = 5,
};
inline constexpr PhaseKind kLastPhaseKind = PhaseKind::kWork;
const char* PhaseName(PhaseKind kind);  // "start-up", ...

struct Phase {
  PhaseKind kind = PhaseKind::kWork;
  TimeRange range;
  bool operator==(const Phase&) const = default;
};

enum class StepSource : uint8_t {  // how steps were found; numbers as in table `step_train`
  kMarkers = 1,
  kOptimizer = 2,
  kLaunchPeriod = 3,
};
inline constexpr StepSource kLastStepSource = StepSource::kLaunchPeriod;
const char* StepSourceName(StepSource source);  // "markers", "optimizer", "launch period"

// True if the mean of the step lengths says more than the median, because some steps take much
// longer than most. This happens, for example, if the host runs ahead of the GPU and then waits for
// several steps at once.
inline bool StepsAreUneven(double mean_ns, double median_ns) { return mean_ns > 1.25 * median_ns; }

// The steps of one process. In a distributed job, each rank has its own train.
struct StepTrain {
  ProcessId process;
  StepSource source = StepSource::kMarkers;
  uint32_t warm_up = 0;          // number of leading steps that are warm-up
  std::vector<TimeRange> steps;  // in order of time, without overlap
  bool operator==(const StepTrain&) const = default;
};

struct Phases {
  std::vector<Phase> phases;
  std::vector<StepTrain> trains;  // the phases are made from the first one

  bool empty() const { return phases.empty(); }
  // Returns the phase of this kind; null if there is none.
  const Phase* Find(PhaseKind kind) const;
  bool operator==(const Phases&) const = default;
};

// One operation of a GPU. `node` is the node of the operation itself, below the stack that launched
// it.
struct PhaseOperation {
  HostNs launch = 0;  // begin of the call that launched it; 0 = unknown
  HostNs start = 0, end = 0;
  ThreadId thread;
  NodeId node;
  GpuStreamId stream;
  int64_t bytes = 0;  // size of a copy or memset
};

struct PhaseLaunch {  // a call that put work on a GPU
  HostNs time = 0;
  ThreadId thread;
  NodeId node;  // call path of the call
};

struct PhaseWait {  // a call in which a host thread waited for a GPU
  HostNs begin = 0, end = 0;
  ThreadId thread;
  NodeId node;  // call path of the call
};

struct PhaseMarker {  // a range named by the program itself
  HostNs begin = 0, end = 0;
  ThreadId thread;
  StringId name;
  StringId domain;  // 0 = the default
};

struct PhaseEvents {  // rows in any order
  std::vector<PhaseOperation> operations;
  std::vector<PhaseWait> waits;
  std::vector<PhaseMarker> markers;
  // Set only if GPU work was recorded part of the time: all launches, or those of the first part of
  // the recording.
  std::vector<PhaseLaunch> launches;
};

// True if GPU work was recorded in some windows of the recording and not in others.
bool HasGaps(const Profile& profile);

// Finds the phases and the steps. `end` is the end of the recording. O(n log n) in the events.
Phases FindPhases(const Profile& profile, const PhaseEvents& events, HostNs end);

// The anchor of a train is a call with which each of its steps begins. It is needed if a recording
// has too many launches to hold in memory: steps are then found in the first launches only, and
// each later call of the anchor begins another step.
struct StepAnchor {
  ThreadId thread;
  NodeId node;
  auto operator<=>(const StepAnchor&) const = default;
};
// Returns the anchor of a train. No value if no call occurs exactly once in each step, at its
// begin.
std::optional<StepAnchor> AnchorOf(const StepTrain& train, std::span<const PhaseLaunch> launches);
using LaterSteps = std::vector<std::optional<std::vector<HostNs>>>;
// Adds the steps after the first launches. `found` is the result of FindPhases for the first
// launches. `later` holds, for each train, the times of the calls of its anchor after the begin of
// its last step, in order; no value if the train has no anchor. A train without an anchor is
// dropped, because its later steps are unknown. A train from markers is always kept: it already has
// all its steps.
Phases ContinueSteps(const Profile& profile, const PhaseEvents& events, Phases found,
                     const LaterSteps& later, HostNs end);

}  // namespace gprofx
