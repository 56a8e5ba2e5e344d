#include "formats/part_read.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "core/choose_part.h"
#include "core/part_builder.h"
#include "formats/part_events.h"
#include "formats/phase_rows.h"
#include "formats/profile_reader.h"

namespace gprofx {
namespace {

bool IsSteady(const Profile& profile, TimeRange range) {
  const Phase* steady = profile.phases.Find(PhaseKind::kSteady);
  return steady != nullptr && steady->range == range;
}

Status NoTimeline(const Profile& profile) {
  const auto timeline = profile.sample_rows > 0;
  if (timeline) return Ok();
  return Error{"this recording has no timeline, so nothing can be said about ranges of it",
               "record without --timeline no"};
}

}  // namespace

Status SelectPart(const ProfileSource& reader, const PartQuery& query, Profile& profile) {
  std::optional<PartEvents> events;
  if (!profile.meta.contains(kPhasesFact)) {
    Result<PartEvents> read = ReadPartEvents(reader, profile);
    if (!read) return read.error();
    profile.phases = FindPhases(profile, read->events, EndOfRecording(profile));
    events = std::move(*read);
  }
  const Result<std::optional<ShownPart>> part = ChoosePart(profile, query);
  if (!part) return part.error();
  if (!*part) return Ok();
  if (!events && IsSteady(profile, (*part)->range)) {
    Result<std::optional<PartValues>> stored = reader.Steady(profile);
    if (!stored) return stored.error();
    if (*stored) {
      ShowPart(std::move(**stored), **part, profile);
      return Ok();
    }
  }
  if (Status timeline = NoTimeline(profile); !timeline) {
    if ((*part)->chosen) return timeline;
    return Ok();  // the whole, then
  }
  if (!events) {
    Result<PartEvents> read = ReadPartEvents(reader, profile);
    if (!read) return read.error();
    events = std::move(*read);
  }
  Result<PartValues> values = AddUpPart(reader, profile, *events, (*part)->range);
  if (!values) return values.error();
  ShowPart(std::move(*values), **part, profile);
  return Ok();
}

Result<TimelineBins> ReadTimeline(const ProfileSource& reader, const Profile& profile,
                                  size_t bins) {
  if (Status timeline = NoTimeline(profile); !timeline) return timeline.error();
  const TimeRange range =
      profile.part ? profile.part->range : TimeRange{0, EndOfRecording(profile)};
  if (range.begin >= range.end || bins == 0) return TimelineBins{};
  TimelineBinner binner(range, bins);
  const Result<PartEvents> events = ReadPartEvents(reader, profile);
  if (!events) return events.error();
  binner.AddOperations(events->events.operations);
  // A sample behind the end stands for time within it.
  constexpr HostNs kLongestWeight = std::numeric_limits<uint32_t>::max();
  const Result<int64_t> read =
      reader.Samples(range.begin, range.end + kLongestWeight,
                     [&](std::span<const SampleRow> rows) { binner.AddSamples(rows); });
  if (!read) return read.error();
  return std::move(binner).Finish();
}

Result<Profile> LoadPart(const std::string& path, const PartQuery& query) {
  const Result<ProfileReader> reader = ProfileReader::Open(path);
  if (!reader) return reader.error();
  Result<Profile> profile = reader->Load();
  if (!profile) return profile;
  if (Status selected = SelectPart(*reader, query, *profile); !selected) return selected.error();
  return profile;
}

}  // namespace gprofx
