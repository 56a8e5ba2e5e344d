#include "cli/report/load.h"

#include <utility>

#include "cli/report/corrected.h"
#include "core/levels/backward.h"
#include "core/views/gpu/level_rows.h"
#include "formats/reading/analysis_read.h"
#include "formats/reading/memory_read.h"
#include "formats/reading/part_read.h"

namespace gprofx {

Result<std::unique_ptr<LoadedReport>> LoadReport(const ReportCommand& command, const Screen& screen,
                                                 std::vector<Error>& left_out) {
  Result<ProfileSet> profiles =
      ProfileSet::Open(command.files, left_out,
                       command.options.query.all_frames ? Profiling::kShown : Profiling::kLeftOut);
  if (!profiles) return profiles.error();
  if (command.options.corrected) {
    const Result<HostCorrection> correction = MeasuredCorrection(profiles->profile());
    if (!correction) return correction.error();
    Correct(*correction, profiles->profile());
  }
  const Query& query = command.options.query;
  PartQuery part = query.part;
  if (profiles->profile().sources.size() > 1 && !part.IsPart()) part.all = true;
  if (!command.html.empty())
    part = {.all = true};  // a page contains the whole recording and starts with the range
  const bool needs_bins = query.kind == ViewKind::kTimeline || query.kind == ViewKind::kMarkers;
  // Not used with --redact, because redacted events are read separately.
  std::optional<PartEvents> events;
  if (Status selected = SelectPart(*profiles, part, profiles->profile(),
                                   needs_bins && !command.options.redact ? &events : nullptr);
      !selected) {
    return selected.error();
  }
  auto loaded = std::make_unique<LoadedReport>(LoadedReport{std::move(*profiles), {}, {}, {}, {}});
  if (command.options.redact) {
    Result<RedactedSource> redacted =
        RedactedSource::Make(loaded->profiles, loaded->profiles.profile());
    if (!redacted) return redacted.error();
    loaded->redacted.emplace(std::move(*redacted));
  }
  if (query.by == RowsBy::kLayer || query.by == RowsBy::kLayerType) {
    const Result<GpuWorkEvents> work = ReadGpuWork(loaded->source(), loaded->profile());
    if (!work) return work.error();
    const Levels levels = FindLevels(loaded->profile());
    loaded->shares =
        LayerShares(levels, work->operations,
                    LayerPaths(loaded->profile(), levels, work->operations, work->windows));
  }
  if (needs_bins) {
    const size_t count = TimelineBinsFor(command.options, screen);
    Result<TimelineBins> bins =
        ReadTimeline(loaded->source(), loaded->profile(), count, events ? &*events : nullptr);
    if (!bins) return bins.error();
    loaded->bins = std::move(*bins);
  }
  if (query.kind == ViewKind::kMemory) {
    Result<std::vector<MemoryEvent>> memory = ReadMemory(loaded->source());
    if (!memory) return memory.error();
    loaded->memory = std::move(*memory);
  }
  return loaded;
}

}  // namespace gprofx
