#include "formats/reading/range_source.h"

#include <algorithm>

#include "core/base/arithmetic.h"
#include "core/slice/choose_part.h"
#include "formats/reading/part_read.h"
#include "formats/reading/phase_rows.h"

namespace gprofx {
namespace {

bool IsCut(Stream stream) {
  switch (stream) {
    case Stream::kKernels:
    case Stream::kCopies:
    case Stream::kSets:
    case Stream::kSyncs:
    case Stream::kCalls:
    case Stream::kOverheads:
    case Stream::kGpuLaunches:
    case Stream::kLaunchCalls:
    case Stream::kThreadWaits:
    case Stream::kWaitPlaces:
      return true;
    default:
      return false;
  }
}

}  // namespace

RangeSource::RangeSource(const ProfileSource& source, std::optional<TimeRange> range, HostNs around)
    : source_(source), range_(range), around_(around) {}

Result<std::optional<PartValues>> RangeSource::Steady(const Profile& profile) const {
  return source_.Steady(profile);
}

Result<int64_t> RangeSource::Samples(
    HostNs begin, HostNs end, const std::function<void(std::span<const SampleRow>)>& sink) const {
  return source_.Samples(begin, end, sink);
}

Result<int64_t> RangeSource::Events(Stream stream, std::span<const size_t> columns, HostNs begin,
                                    HostNs end,
                                    const std::function<void(const EventTable&)>& sink) const {
  if (range_ && IsCut(stream)) {
    begin = std::max(begin, SubtractSaturated(range_->begin, around_));
    end = std::min(end, AddSaturated(range_->end, around_));
    if (begin >= end) return int64_t{0};
  }
  return source_.Events(stream, columns, begin, end, sink);
}

Result<RangeSource> MiddleOf(const ProfileSource& source, const Profile& profile,
                             int64_t most_operations, PartQuery& query) {
  std::optional<PartQuery> middle;
  // Read everything if there is no timeline or if phases have not been searched for.
  const bool has_ranges = profile.sample_rows > 0 && profile.meta.contains(kPhasesFact);
  if (has_ranges && !query.IsPart() && !query.all) middle = MiddlePart(profile, most_operations);
  if (middle && HasGaps(profile)) {
    const Result<std::vector<LevelWindow>> windows = ReadWindows(source, profile);
    if (!windows) return windows.error();
    if (windows->empty()) middle.reset();
  }
  if (!middle) return RangeSource(source, std::nullopt);
  query = *middle;
  const Result<std::optional<ShownPart>> part = ChoosePart(profile, query);
  if (!part) return part.error();
  return RangeSource(source, *part ? std::optional((*part)->range) : std::nullopt);
}

}  // namespace gprofx
