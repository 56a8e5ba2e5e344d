// Finds inefficiencies of a GPU program. A finding says what costs time, at which line, on what
// evidence, and how much shorter a step would be without it.
//
// Method: The calls of the host and the GPU work of one process are put on a timeline
// (core/findings/time_line.h). A detector says what can be removed from it: a wait, host time
// between two calls, an operation. The timeline is then replayed without that
// (core/findings/cures.h). The saving is how much earlier the replay ends. It is an upper bound,
// because it assumes that nothing else takes the removed time's place.
//
// Findings are removed one after the other, causes before their consequences and larger ones first.
// Each counts only what the replay gains in addition to the earlier ones. The sum of all savings is
// therefore what the replay gains if all of them are removed, and never exceeds the length of the
// timeline. Findings that save less than kFindingFloor of a step are left out.
//
// Pure, but calls FindingEvents::read_samples on another thread. Detectors also run on other
// threads, and so does every second replay if the recording is not too large. O(n log n) in events
// and samples for each finding.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/analyses/analyses.h"
#include "core/events/finding_events.h"
#include "core/model/profile.h"

namespace gprofx::findings {

struct FindingRule {
  const char* id;      // does not change between versions: "sync-in-step"
  const char* title;   // title as a phrase
  const char* advice;  // what to change
};

// Returns the rules in the order in which their findings are removed.
std::span<const FindingRule> FindingRules();

// A rule of other tools that gprof-x does not have, and the reason.
struct RuleLeftOut {
  const char* title;
  const char* reason;
};
std::span<const RuleLeftOut> RulesLeftOut();

inline constexpr double kFindingFloor = 0.01;  // fraction of a step

struct Inefficiency {
  const FindingRule* rule = nullptr;
  NodeId node;           // the heaviest node at which it was found; 0 = the whole run
  std::string function;  // function that contains the line; "" = unknown
  std::string file;
  uint32_t line = 0;
  int64_t saving_ns = 0;  // per step; an upper bound unless has_collectives is set
  double share = 0;       // of a step
  std::string summary;    // one sentence
  std::vector<std::string> evidence;
  std::string computed;  // how the saving was computed
};

// The steps before the steady ones, which are left out of the analysis.
struct WarmUpLeftOut {
  int64_t steps = 0, step_ns = 0;  // number of steps and their mean length
  double share = 0;                // fraction of the time of all steps
};

struct FindingReport {
  std::vector<Inefficiency> rows;  // largest saving first; users see them as F1, F2, ...
  std::string reason;              // why there can be no findings; "" if there can be
  int64_t step_ns = 0;  // mean without the cost of recording; if steps = 0, the whole length
  int64_t recorded_step_ns = 0;  // the same with the cost of the recording
  // Mean time from the begin of one step to the next on the host. It is less than step_ns if the
  // host runs ahead: the GPU then still works after the last step has ended on the host.
  int64_t host_step_ns = 0;
  int64_t steps = 0;      // number of analysed steps; 0 = none found
  int64_t idle_ns = 0;    // per step: time in which the GPU does not work
  WarmUpLeftOut warm_up;  // its `steps` is 0 unless warm-up took most of the time of all steps
  // True if the program uses collectives. Other ranks are not replayed, so a change on all ranks
  // may save more than `saving_ns`.
  bool has_collectives = false;
};

FindingReport FindInefficiencies(const analyses::AnalysisContext& context,
                                 const FindingEvents& events);

}  // namespace gprofx::findings
