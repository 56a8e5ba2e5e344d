// Reads a profile as if it held only the events in and around a time range. Memory then grows with
// the range and not with the recording. Some events are always those of the whole recording:
// windows with and without records, named ranges, allocations and the GPU environment. Blocking;
// one thread per object.
#pragma once

#include "core/slice/part.h"
#include "formats/profile/profile_source.h"

namespace gprofx {

class RangeSource final : public ProfileSource {
 public:
  // Events up to this long before and after the range are read, too. Events that begin before the
  // range may reach into it, and work launched in the range may begin after it.
  static constexpr HostNs kAround = 5'000'000'000;

  // `source` must outlive this object. Without a range, all events are read.
  RangeSource(const ProfileSource& source, std::optional<TimeRange> range, HostNs around = kAround);

  bool is_part() const { return range_.has_value(); }

  Result<std::optional<PartValues>> Steady(const Profile& profile) const override;
  Result<std::vector<GpuCubin>> Cubins() const override { return source_.Cubins(); }
  Result<std::vector<SourceText>> Sources() const override { return source_.Sources(); }
  Result<std::vector<Finding>> Findings() const override { return source_.Findings(); }
  Result<std::vector<KernelCounters>> Counters() const override { return source_.Counters(); }
  Result<int64_t> Samples(
      HostNs begin, HostNs end,
      const std::function<void(std::span<const SampleRow>)>& sink) const override;
  Result<int64_t> Events(Stream stream, std::span<const size_t> columns, HostNs begin, HostNs end,
                         const std::function<void(const EventTable&)>& sink) const override;

 private:
  const ProfileSource& source_;
  const std::optional<TimeRange> range_;
  const HostNs around_;
};

// Returns a source for a shorter range if the default range has too many operations, and sets
// `query` to that range, the middle of the default range (core/slice/choose_part.h). It does so
// only if `query` asks for nothing, the phases of the recording are known, and the recording has
// more than `most_operations` operations. Otherwise returns a source for all events.
Result<RangeSource> MiddleOf(const ProfileSource& source, const Profile& profile,
                             int64_t most_operations, PartQuery& query);

}  // namespace gprofx
