#include "core/replay/what_if.h"

#include <algorithm>
#include <cstdio>
#include <map>

#include "core/gpu/collective_frames.h"
#include "core/replay/changes.h"
#include "core/replay/step_run.h"

namespace gprofx {
namespace {

// A GPU can cool down if it is busy for a smaller fraction of the time than this.
constexpr double kRests = 0.7;

WhatIfAnswer::Side SideOf(const StepRun& run) { return {run.step_ns(), run.busy(), run.limit()}; }

void DescribeLimits(const ReplayEvents& events, int64_t guessed, bool collectives,
                    WhatIfAnswer& answer) {
  if (answer.then.busy >= kMaxOf && answer.now.busy < kRests) {
    answer.not_modelled.push_back(
        "clocks: a GPU that works all the time may run its kernels more slowly than one that "
        "rests");
  }
  answer.assumed.push_back("unchanged kernels take as long as recorded");
  if (guessed > 0) {
    answer.not_modelled.push_back(
        "events between streams are not in the profile: " + std::to_string(guessed) +
        " operations are assumed to wait for another stream because they began right after its "
        "work");
  }
  if (collectives) {
    answer.not_modelled.push_back(
        "collectives take as long as recorded, because other ranks are not replayed");
  }
  const auto unknown =
      std::count_if(events.operations.begin(), events.operations.end(),
                    [](const ReplayOperation& operation) { return operation.launch == 0; });
  if (unknown > 0) {
    answer.not_modelled.push_back(std::to_string(unknown) +
                                  " operations without a known launch stay behind their stream");
  }
}

}  // namespace

WhatIfAnswer AnswerWhatIf(const Profile& profile, const ReplayEvents& events,
                          std::span<const LevelWindow> windows,
                          std::span<const WhatIfChange> changes, const HostTimes& host) {
  WhatIfAnswer answer;
  for (const WhatIfChange& change : changes) answer.changes.push_back(WhatIfText(change));
  const StepGraphs steps = MakeStepGraphs(profile, events, windows);
  answer.reason = steps.reason;
  if (!answer.reason.empty()) return answer;
  if (!steps.passes.empty()) {
    answer.assumed.push_back("no steps were found; a step is from one launch by " + steps.passes +
                             " to the next");
  }
  const HostFactor factor = FindHostFactor(steps, host);
  answer.reason = factor.reason;
  if (!answer.reason.empty()) return answer;
  answer.assumed.push_back(factor.said);
  std::vector<ChangeContext> contexts;
  for (const WhatIfChange& change : changes) {
    contexts.push_back(MakeChangeContext(profile, events, change, answer));
    if (!answer.reason.empty()) return answer;
  }
  const std::vector<bool> collective = CommunicationFrames(profile);
  std::map<std::string, int64_t> counts;
  std::vector<ReplayModel> models = steps.Models(factor.factor);
  const StepRun now = RunSteps(profile, steps, models, collective);
  int64_t guessed = 0;
  for (size_t i = 0; i < steps.graphs.size(); ++i) {
    for (const ChangeContext& context : contexts) {
      ApplyChange(context, steps.graphs[i], models[i], counts);
    }
    guessed += steps.graphs[i].guessed_edges();
  }
  const StepRun then = RunSteps(profile, steps, models, collective);
  answer.steps = static_cast<int64_t>(now.steps.size());
  answer.recorded_ns = StepWith(steps, 1);
  answer.now = SideOf(now);
  answer.then = SideOf(then);
  for (size_t i = 0; i < kReplayLinks; ++i) {
    if (now.chain[i] == 0 && then.chain[i] == 0) continue;
    const ReplayLinkName& name = NameOf(static_cast<ReplayLink>(i));
    answer.parts.push_back(
        {name.id, name.title, now.chain[i] / answer.steps, then.chain[i] / answer.steps});
  }
  for (const auto& [what, count] : counts) {
    answer.changed.push_back(std::to_string(count) + " " + what);
  }
  if (counts.empty()) {
    answer.changed.push_back("nothing, because these steps contain no such work or call");
  }
  DescribeLimits(events, guessed, now.chain[kCollectives] != 0 || then.chain[kCollectives] != 0,
                 answer);
  return answer;
}

}  // namespace gprofx
