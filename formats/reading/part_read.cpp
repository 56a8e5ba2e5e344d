#include "formats/reading/part_read.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "core/base/arithmetic.h"
#include "core/cost/profiling_time.h"
#include "core/events/marker_sums.h"
#include "core/slice/choose_part.h"
#include "core/slice/part_builder.h"
#include "formats/profile/profile_set.h"
#include "formats/reading/part_events.h"
#include "formats/reading/phase_events.h"
#include "formats/reading/phase_rows.h"

namespace gprofx {
namespace {

bool IsSteady(const Profile& profile, TimeRange range) {
  const Phase* steady = profile.phases.Find(PhaseKind::kSteady);
  return steady != nullptr && steady->range == range;
}

Status NoTimeline(const Profile& profile) {
  if (profile.sample_rows > 0 || OnlyEventsHaveTimes(profile)) return Ok();
  if (profile.meta.contains("imported_from")) {
    return Error{ErrorId::kNotRecorded, "cannot select a range: the imported file has no times",
                 "import a trace, or the text of perf script"};
  }
  return Error{ErrorId::kNotRecorded, "cannot select a range: this recording has no timeline",
               "record without --timeline no"};
}

// Returns an error if GPU records are missing for some of the time and the recording does not say
// when, as older recordings do. The totals of a range cannot be estimated then.
Status NoGapsUnknown(const Profile& profile, const std::vector<LevelWindow>& windows) {
  if (!HasGaps(profile) || !windows.empty()) return Ok();
  return Error{ErrorId::kNotRecorded,
               "cannot select a range: GPU work was recorded for an unknown part of the time",
               "record again"};
}

}  // namespace

Status SelectPart(const ProfileSource& reader, const PartQuery& query, Profile& profile,
                  std::optional<PartEvents>* read_for_it) {
  std::optional<PartEvents> own;
  std::optional<PartEvents>& events = read_for_it != nullptr ? *read_for_it : own;
  events.reset();
  if (!profile.meta.contains(kPhasesFact)) {
    Result<PartEvents> read = ReadPartEvents(reader, profile);
    if (!read) return read.error();
    Result<Phases> found = FindPhasesOf(reader, profile, *read);
    if (!found) return found.error();
    profile.phases = std::move(*found);
    events = std::move(*read);
  }
  const Result<std::optional<ShownPart>> part = ChoosePart(profile, query);
  if (!part) return part.error();
  if (!*part) return Ok();
  Result<std::vector<LevelWindow>> windows = ReadWindows(reader, profile);
  if (!windows) return windows.error();
  if (Status known = NoGapsUnknown(profile, *windows); !known) {
    if ((*part)->chosen) return known;
    return Ok();  // the range is the whole recording
  }
  if (!events && IsSteady(profile, (*part)->range)) {
    Result<std::optional<PartValues>> values = reader.Steady(profile);
    if (!values) return values.error();
    if (*values) {
      (*values)->records = RecordsIn(*windows, (*part)->range);
      ShowPart(std::move(**values), **part, profile);
      return Ok();
    }
  }
  if (Status timeline = NoTimeline(profile); !timeline) {
    if ((*part)->chosen) return timeline;
    return Ok();  // the range is the whole recording
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

Result<std::optional<PartValues>> ReadPart(const ProfileSource& reader, TimeRange range,
                                           const Profile& profile) {
  const Result<std::vector<LevelWindow>> windows = ReadWindows(reader, profile);
  if (!windows) return windows.error();
  if (!NoGapsUnknown(profile, *windows)) return std::optional<PartValues>();
  if (IsSteady(profile, range)) {
    Result<std::optional<PartValues>> stored = reader.Steady(profile);
    if (!stored || *stored) return stored;
  }
  if (!NoTimeline(profile)) return std::optional<PartValues>();
  const Result<PartEvents> events = ReadPartEvents(reader, profile);
  if (!events) return events.error();
  Result<PartValues> values = AddUpPart(reader, profile, *events, range);
  if (!values) return values.error();
  return std::optional<PartValues>(std::move(*values));
}

Result<TimelineBins> ReadTimeline(const ProfileSource& reader, const Profile& profile, size_t bins,
                                  const PartEvents* events) {
  if (Status timeline = NoTimeline(profile); !timeline) return timeline.error();
  const TimeRange range =
      profile.part ? profile.part->range : TimeRange{0, EndOfRecording(profile)};
  if (range.begin >= range.end || bins == 0) return TimelineBins{};
  TimelineBinner binner(range, bins);
  std::optional<PartEvents> own;
  if (events == nullptr) {
    Result<PartEvents> read_now = ReadPartEvents(reader, profile);
    if (!read_now) return read_now.error();
    events = &own.emplace(std::move(*read_now));
  }
  MarkerSums markers(profile, events->events.markers, range);
  const Status work = ForOperations(reader, profile, *events, {kEarliest, kLatest},
                                    [&](std::span<const PhaseOperation> some) {
                                      binner.AddOperations(some);
                                      markers.AddOperations(some);
                                    });
  if (!work) return work.error();
  // A sample covers time before it was taken. Samples that were taken after the range may therefore
  // cover time in the range.
  constexpr HostNs kLongestWeight = std::numeric_limits<uint32_t>::max();
  const TimeRange counted = CountedRange(profile, range);
  const Result<int64_t> read =
      reader.Samples(counted.begin, std::max(counted.end, AddSaturated(range.end, kLongestWeight)),
                     WithoutLeftOut(profile, [&](std::span<const SampleRow> rows) {
                       binner.AddSamples(rows);
                       markers.AddSamples(rows);
                     }));
  if (!read) return read.error();
  TimelineBins out = std::move(binner).Finish();
  out.markers = std::move(markers).Finish(bins);
  return out;
}

Result<Profile> LoadPart(const std::string& path, const PartQuery& query) {
  Result<ProfileSet> reader = ProfileSet::Open({path});
  if (!reader) return reader.error();
  if (Status selected = SelectPart(*reader, query, reader->profile()); !selected) {
    return selected.error();
  }
  return std::move(reader->profile());
}

}  // namespace gprofx
