#include "cli/analyze/what_if.h"

#include <algorithm>
#include <utility>

#include "cli/analyze/part_text.h"
#include "cli/report/corrected.h"
#include "core/cost/own_cost.h"
#include "core/gpu/level_windows.h"
#include "formats/profile/profile_set.h"
#include "formats/reading/part_read.h"
#include "formats/reading/range_source.h"
#include "formats/reading/replay_read.h"

namespace gprofx {
namespace {

// Returns the factor by which recording slowed the program down while GPU records were made, which
// are the only times that are replayed. Returns 1 if it is unknown.
double CostWhereRecorded(const Profile& profile) {
  if (!MeasuredCorrection(profile)) return 1;
  return OwnCostOf(WhileRecording(CostPartsOf(profile.quality))).ratio;
}

}  // namespace

Result<std::vector<WhatIfChange>> ParseWhatIfs(const std::vector<std::string>& texts) {
  std::vector<WhatIfChange> changes;
  for (const std::string& text : texts) {
    Result<WhatIfChange> change = ParseWhatIf(text);
    if (!change) return change.error();
    changes.push_back(std::move(*change));
  }
  return changes;
}

Result<WhatIfReport> AskWhatIf(const WhatIfCommand& command) {
  Result<ProfileSet> profiles = ProfileSet::Open({command.file});
  if (!profiles) return profiles.error();
  Profile& profile = profiles->profile();
  PartQuery part = command.part;
  const Result<RangeSource> source = MiddleOf(*profiles, profile, kMaxLookedAt, part);
  if (!source) return source.error();
  if (Status selected = SelectPart(*source, part, profile); !selected) return selected.error();
  const Result<ReplayEvents> events = ReadReplayEvents(*source);
  if (!events) return events.error();
  const Result<std::vector<LevelWindow>> windows = ReadWindows(*source, profile);
  if (!windows) return windows.error();
  WhatIfReport report;
  report.file = command.file;
  report.part = PartText(profile, source->is_part());
  HostTimes host;
  host.step_ns = command.step_ns;
  if (command.step_ns == 0) host.factor = 1 / CostWhereRecorded(profile);
  report.answer = AnswerWhatIf(profile, *events, *windows, command.changes, host);
  return report;
}

}  // namespace gprofx
