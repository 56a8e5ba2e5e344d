// Cross-layer inefficiencies of a program on a GPU: what costs time, at which line, what is seen of
// it, and how much a step would be shorter without it.
//
// Method. The host's calls and the GPU's work of the process that uses a GPU most are put on one
// time line (core/findings/time_line.h). A detector says what of it would go: a wait, host time
// between two calls, an operation. The time line is then replayed without that
// (core/findings/cures.h): what the end comes earlier is the saving, an upper bound, because it is
// taken for granted that nothing else takes its place. Findings are taken away one after the other,
// causes before their consequences and larger ones first, and each counts what the replay gains
// beyond those before it. So the sum of all savings is what the replay gains without any of them:
// never more than there is. What saves less than kFloor of a step is left out.
//
// Pure, but for FindingEvents::read_samples, which is called in a thread beside; so are detectors,
// and every second replay of a recording that is not too large. O(n log n) in events and samples
// for each finding.
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
  const char* id;      // stable: "sync-in-step"
  const char* title;   // a phrase
  const char* advice;  // what to change
};

// The rules, in the order in which their findings are taken away.
std::span<const FindingRule> FindingRules();

// What is looked for by others and not here, and why not.
struct RuleLeftOut {
  const char* title;
  const char* reason;
};
std::span<const RuleLeftOut> RulesLeftOut();

inline constexpr double kFindingFloor = 0.01;  // of a step

struct Inefficiency {
  const FindingRule* rule = nullptr;
  NodeId node;           // heaviest of what it was seen at; 0 = the whole run
  std::string function;  // of the place; "" = unknown
  std::string file;
  uint32_t line = 0;
  int64_t saving_ns = 0;  // per step, an upper bound unless has_collectives
  double share = 0;       // of a step
  std::string summary;    // one sentence
  std::vector<std::string> evidence;
  std::string computed;  // how the saving was
};

// Steps that are left out because they come before the steady ones.
struct WarmUpLeftOut {
  int64_t steps = 0, step_ns = 0;  // so many, of this length each
  double share = 0;                // of the time of all steps
};

struct FindingReport {
  std::vector<Inefficiency> rows;  // the largest saving first; F1, F2, ...
  std::string reason;              // why there can be none; "" where there could be
  int64_t step_ns = 0;             // mean, without what the recording cost; else of the whole
  int64_t recorded_step_ns = 0;    // the same with it
  int64_t steps = 0;               // that were looked at; 0 = none were found
  int64_t idle_ns = 0;             // per step: no work on the GPU
  WarmUpLeftOut warm_up;           // where it took most of the time; else 0 steps
  // There are collectives: other ranks are not replayed, so what all ranks save may be more.
  bool has_collectives = false;
};

FindingReport FindInefficiencies(const analyses::AnalysisContext& context,
                                 const FindingEvents& events);

}  // namespace gprofx::findings
