// A profile that is read as if its events were those in and around a range of time: what is asked
// of it takes the memory of the range. Where records were made, named ranges, what was allocated
// and what the GPUs were like are those of the whole recording. Blocking; one thread per object.
#pragma once

#include "core/slice/part.h"
#include "formats/profile/profile_source.h"

namespace gprofx {

class RangeSource final : public ProfileSource {
 public:
  // What begins this long before the range may reach into it, and what is launched in it may begin
  // this long behind it.
  static constexpr HostNs kAround = 5'000'000'000;

  // `source` must outlive this. No range: everything.
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

// Where nothing is asked for and the recording, whose phases are known, has more than
// `most_operations`: the middle of what is usually shown, which `query` asks for from then on
// (core/slice/choose_part.h). Else everything.
Result<RangeSource> MiddleOf(const ProfileSource& source, const Profile& profile,
                             int64_t most_operations, PartQuery& query);

}  // namespace gprofx
