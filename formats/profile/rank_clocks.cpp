#include "formats/profile/rank_clocks.h"

#include <algorithm>
#include <utility>

#include "core/base/arithmetic.h"

namespace gprofx {

Result<std::vector<CollectiveEnd>> CollectiveEnds(const ProfileSource& reader,
                                                  const Profile& profile, Profile& names) {
  // By id of the launch configuration: name of the collective; 0 = it is not a collective.
  std::vector<StringId> name_of(profile.gpu.configs.size() + 1);
  bool any = false;
  for (size_t i = 0; i < profile.gpu.configs.size(); ++i) {
    const FunctionId function = profile.gpu.configs[i].function;
    if (!function) continue;
    const std::string_view name = profile.Text(profile.function(function).name);
    if (!IsCollective(name)) continue;
    name_of[i + 1] = names.Intern(name);
    any = true;
  }
  std::vector<CollectiveEnd> ends;
  if (!any) return ends;
  constexpr size_t kColumns[] = {column::kKernelStart, column::kKernelDuration,
                                 column::kKernelConfig};
  const Result<int64_t> read =
      reader.Events(Stream::kKernels, kColumns, kEarliest, kLatest, [&](const EventTable& rows) {
        for (size_t i = 0, all = rows.rows(); i < all; ++i) {
          const auto config = static_cast<size_t>(rows.column(column::kKernelConfig)[i]);
          if (!name_of[config]) continue;
          ends.push_back({name_of[config], AddSaturated(rows.column(column::kKernelStart)[i],
                                                        rows.column(column::kKernelDuration)[i])});
        }
      });
  if (!read) return read.error();
  return ends;
}

HostNs RankClocks::Align(std::vector<CollectiveEnd> ends, HostNs offset) {
  if (ends.empty()) return offset;
  for (CollectiveEnd& one : ends) one.end = AddSaturated(one.end, offset);
  if (!reference_) {
    reference_ = std::move(ends);
    return offset;
  }
  const ClockCorrection correction = CorrectClock(*reference_, ends);
  return correction.trusted ? AddSaturated(offset, correction.add) : offset;
}

void BeginAtZero(std::span<HostNs> offsets) {
  const HostNs first = *std::min_element(offsets.begin(), offsets.end());
  for (HostNs& offset : offsets) offset = SubtractSaturated(offset, first);
}

}  // namespace gprofx
