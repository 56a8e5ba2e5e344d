#include "cli/analyze/what_if.h"

#include <algorithm>
#include <utility>

#include "cli/analyze/part_text.h"
#include "cli/report/corrected.h"
#include "formats/part_read.h"
#include "formats/profile_set.h"
#include "formats/replay_read.h"

namespace gprofx {
namespace {

double Ratio(int64_t ppm) { return 1 + static_cast<double>(ppm) / 1e6; }

// What recording cost in the times in which records of GPU work were made, and only those are
// replayed: the cost of the whole recording has that of records for a share of its time. 1 = nothing
// was measured.
double CostWhereRecorded(const Profile& profile) {
  const Result<HostCorrection> whole = MeasuredCorrection(profile);
  if (!whole) return 1;
  const auto quality = [&](const char* name) {
    const auto found = profile.quality.find(name);
    return found == profile.quality.end() ? int64_t{0} : found->second;
  };
  const auto traced = static_cast<double>(quality("gpu_level_traced_ns"));
  const auto counted = static_cast<double>(quality("gpu_level_counted_ns"));
  if (traced <= 0 || counted <= 0) return Ratio(whole->ppm);
  const double records = std::clamp(Ratio(quality("gpu_records_cost_ppm")), 1.0, 100.0);
  return Ratio(whole->ppm) * records / (1 + traced / (traced + counted) * (records - 1));
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
  if (command.step_ns == 0) host.factor = 1 / CostWhereRecorded(profile);
  report.answer = AnswerWhatIf(profile, *events, *windows, command.changes, host);
  return report;
}

}  // namespace gprofx
