// What a part of a recording is made of, read from its streams. Used inside formats/ only. The
// reader is a ProfileReader or a ProfileSet.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/model/profile.h"
#include "core/slice/part_builder.h"
#include "formats/profile/profile_source.h"

namespace gprofx {

// More GPU work of a recording is not held in memory: what needs it reads it again.
inline constexpr int64_t kMaxOperations = 2'000'000;

// Of the whole recording: GPU work, waits, markers, full queues and windows; not the samples.
// Operations are left out where there are more than `most_operations`.
Result<PartEvents> ReadPartEvents(const ProfileSource& reader, const Profile& profile,
                                  int64_t most_operations = kMaxOperations);

// The GPU work that begins in `slice`, in pieces; all of it where it is held. Kernels, then copies,
// then memsets.
using TakeOperations = std::function<void(std::span<const PhaseOperation>)>;
Status ForOperations(const ProfileSource& reader, const Profile& profile, const PartEvents& events,
                     TimeRange slice, const TakeOperations& take);

// [range.begin, range.end) in pieces of at most a minute, with about so many operations in each.
inline constexpr int64_t kOperationsOfSlice = 500'000;
std::vector<TimeRange> SlicesOf(const Profile& profile, TimeRange range, int64_t operations);
// The i-th; the first one with all that is before them, the last one with all that is behind.
TimeRange Outwards(std::span<const TimeRange> slices, size_t i);

// Only the GPU work of it: kernels, then copies, then memsets.
Result<std::vector<PhaseOperation>> ReadOperations(const ProfileSource& reader,
                                                   const Profile& profile);

// Reads the samples of the range slice by slice, so that memory does not grow with its length;
// and the launches, where work is estimated.
Result<PartValues> AddUpPart(const ProfileSource& reader, const Profile& profile,
                             const PartEvents& events, TimeRange range,
                             int64_t of_slice = kOperationsOfSlice);

}  // namespace gprofx
