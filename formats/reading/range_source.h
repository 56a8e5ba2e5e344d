// Reads a profile as if it held only the events in and around a time range, so that memory grows
// with the range. Recording windows, named ranges, allocations and GPU environment are those of the
// whole recording. Blocking; one thread per object.
#pragma once

#include "core/slice/part.h"
#include "formats/profile/profile_source.h"

namespace gprofx {

class RangeSource final : public ProfileSource {
 public:
  // Events that begin this long before the range may reach into it, and work launched in the range
  // may begin this long after it.
  static constexpr HostNs kAround = 5'000'000'000;

  // `source` must outlive this. Without a range, all events are read.
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

// If `query` asks for nothing, and the recording has known phases and more than `most_operations`
// operations, returns a source for the middle of the default range and sets `query` to that middle
// (core/slice/choose_part.h). Otherwise returns a source for everything.
Result<RangeSource> MiddleOf(const ProfileSource& source, const Profile& profile,
                             int64_t most_operations, PartQuery& query);

}  // namespace gprofx
