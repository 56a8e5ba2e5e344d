#include "cli/analyze/what_if.h"

#include <utility>

#include "cli/analyze/part_text.h"
#include "cli/report/corrected.h"
#include "formats/part_read.h"
#include "formats/profile_set.h"
#include "formats/replay_read.h"

namespace gprofx {

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
  if (Status selected = SelectPart(*profiles, command.part, profile); !selected) {
    return selected.error();
  }
  const Result<ReplayEvents> events = ReadReplayEvents(*profiles);
  if (!events) return events.error();
  const Result<std::vector<LevelWindow>> windows = ReadWindows(*profiles, profile);
  if (!windows) return windows.error();
  WhatIfReport report;
  report.file = command.file;
  report.part = PartText(profile);
  HostTimes host;
  host.step_ns = command.step_ns;
  if (const Result<HostCorrection> cost = MeasuredCorrection(profile); cost && command.step_ns == 0) {
    host.factor = 1 / (1 + static_cast<double>(cost->ppm) / 1e6);
  }
  report.answer = AnswerWhatIf(profile, *events, *windows, command.changes, host);
  return report;
}

}  // namespace gprofx
