#include "cli/analyze/what_if.h"

#include <algorithm>
#include <utility>

#include "cli/analyze/part_text.h"
#include "cli/report/corrected.h"
#include "core/level_windows.h"
#include "formats/part_read.h"
#include "formats/profile_set.h"
#include "formats/range_source.h"
#include "formats/replay_read.h"

namespace gprofx {
namespace {

double Ratio(int64_t ppm) { return 1 + static_cast<double>(ppm) / 1e6; }

// What recording cost in the times in which records of GPU work were made, and only those are
// replayed: the cost of the whole recording has that of records for a share. 1 = nothing was measured.
double CostWhereRecorded(const Profile& profile) {
  const Result<HostCorrection> whole = MeasuredCorrection(profile);
  if (!whole) return 1;
  const RecordsMade made = RecordsMadeOf(profile.quality);
  if (made.traced_ns <= 0 || made.counted_ns <= 0) return Ratio(whole->ppm);
  const auto found = profile.quality.find("gpu_records_cost_ppm");
  const int64_t ppm = found == profile.quality.end() ? 0 : found->second;
  const double records = std::clamp(Ratio(ppm), 1.0, 100.0);
  return Ratio(whole->ppm) * records / (1 + RecordsShare(made) * (records - 1));
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
  const Result<RangeSource> source = MiddleOf(*profiles, profile, kMostLookedAt, part);
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
