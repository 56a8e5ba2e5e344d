// Defines the input (Scene) and the output (Candidate) of detectors. Used inside core/findings
// only.
#pragma once

#include <algorithm>
#include <future>
#include <map>
#include <string>
#include <vector>

#include "core/analyses/analyses.h"
#include "core/findings/cures.h"
#include "core/findings/findings.h"
#include "core/findings/host_code.h"
#include "core/findings/time_line.h"
#include "core/findings/traits.h"
#include "core/kernels/kernel_family.h"

namespace gprofx::findings {

struct KernelName {
  KernelWhat what;
  std::string_view full;
};

// Input of all detectors. It is made once per analysis.
struct Scene {
  Scene(const analyses::AnalysisContext& context, const FindingEvents& events);

  const Profile& profile;
  const analyses::AnalysisContext& context;
  const FindingEvents& events;
  TimeLine line;
  std::vector<NodeTraits> traits;  // by NodeId::index()
  // Becomes `host`. Another thread reads the samples for it while `replay` is constructed, because
  // the two take about as long and do not depend on each other.
  std::future<HostCode> reading;
  LineReplay replay;
  HostCode host;
  std::map<uint32_t, KernelName> kernels;  // by FrameId::value

  const NodeTraits& at(NodeId node) const { return traits[node.index()]; }
  FrameId LineOf(NodeId node) const { return node ? at(node).lines.python() : FrameId{}; }
  const KernelName& Kernel(const LineOp& op) const {
    return kernels.at(profile.node(op.node).frame.value);
  }
  const NodeTraits* Around(NodeId node) const { return node ? &at(node) : nullptr; }
  // Returns the minimum saving of a finding, in ns over all steps. A candidate whose cure removes
  // less cannot save enough.
  int64_t Floor() const {
    return static_cast<int64_t>(kFindingFloor * static_cast<double>(replay.base()));
  }
  int64_t Steps() const { return line.steps > 0 ? line.steps : 1; }
  // True if something that occurs `count` times in the timeline is part of the loop. It must occur
  // in at least three of four steps and at least three times, because fewer may be only at the
  // start and the end. If there are only one or two steps, it must occur once per step.
  bool Repeats(int64_t count) const {
    const int64_t fewest = line.steps > 0 ? std::min<int64_t>(line.steps, 3) : 3;
    return count >= std::max(line.steps * 3 / 4, fewest);
  }
  // Returns a count with its unit: "12 copies a step", or "12 copies" if there are no steps.
  std::string PerStepText(int64_t count, const char* what) const;
  std::string PerStepTime(int64_t ns) const;  // "5 ms a step" or "5 ms in all"
  std::string DeviceName() const;
  int64_t DeviceBandwidth() const;  // bytes a second; 0 = unknown
};

// A result of a detector. Its saving is not yet known.
struct Candidate {
  NodeId node;
  FrameId line;  // line to report; 0 = unknown
  Cure cure;
  std::string summary;  // one sentence, without the saving
  std::vector<std::string> evidence;
  std::string computed;
};
using Candidates = std::vector<Candidate>;

// The number of a detector is that of its rule in the design's list of inefficiencies.
Candidates FindSlowLoader(const Scene& scene);            // 12
Candidates FindLockWaits(const Scene& scene);             // 11
Candidates FindAllocatorChurn(const Scene& scene);        // 14
Candidates FindPingPong(const Scene& scene);              // 4
Candidates FindSmallCopies(const Scene& scene);           // 3
Candidates FindPageableCopies(const Scene& scene);        // 2
Candidates FindSyncs(const Scene& scene);                 // 1
Candidates FindHostCopies(const Scene& scene);            // 13
Candidates FindElementLoops(const Scene& scene);          // 8
Candidates FindSlowBackward(const Scene& scene);          // 20
Candidates FindRecomputation(const Scene& scene);         // 22
Candidates FindGpuGaps(const Scene& scene);               // 7
Candidates FindExposedCommunication(const Scene& scene);  // 16
Candidates FindFusable(const Scene& scene);               // 17
Candidates FindNoTensorCores(const Scene& scene);         // 19
Candidates FindStridedAccess(const Scene& scene);         // 21
Candidates FindInterpreter(const Scene& scene);           // 10
Candidates FindSmallKernels(const Scene& scene);          // 6

// Returns the cure that removes the cost of recording: the host time that samples found in CUPTI or
// gprof-x. It is applied before the savings of findings are computed.
Cure RecordingCost(const Scene& scene);

// Maximum length of host time, in ns, that only prepares the next launch.
inline constexpr int64_t kLaunchTime = 100'000;

std::string TimeText(int64_t ns);       // "5.02 ms"
std::string PercentText(double share);  // "12%"
std::string BytesText(double bytes);    // "38.5 MB"
std::string CountText(double count);    // "1,200", "0.5"

}  // namespace gprofx::findings
