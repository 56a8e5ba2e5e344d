// The events of a range of a recording, read from its streams. Used inside formats/ only. The
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

// Maximum number of GPU operations held in memory. With more, each consumer reads them again.
inline constexpr int64_t kMaxOperations = 2'000'000;

// Reads the events of the whole recording: GPU work, waiting calls, places where threads wait,
// launches that waited for queue space, markers, GPU memory, and windows with and without GPU
// records. Reads no samples. Leaves GPU work out if there are more than `most_operations`
// operations.
Result<PartEvents> ReadPartEvents(const ProfileSource& reader, const Profile& profile,
                                  int64_t most_operations = kMaxOperations);

// Passes the GPU work that begins in `slice` to `take`, in several calls. If `events` holds the
// operations, passes all of them in one call instead, whatever `slice` is. Order: kernels, copies,
// memsets.
using TakeOperations = std::function<void(std::span<const PhaseOperation>)>;
Status ForOperations(const ProfileSource& reader, const Profile& profile, const PartEvents& events,
                     TimeRange slice, const TakeOperations& take);

// Cuts [range.begin, range.end) into slices of at most one minute with about `operations`
// operations each.
inline constexpr int64_t kOperationsOfSlice = 500'000;
std::vector<TimeRange> SlicesOf(const Profile& profile, TimeRange range, int64_t operations);
// Returns slice i. The first slice is extended to everything before it, the last one to everything
// after it.
TimeRange Outwards(std::span<const TimeRange> slices, size_t i);

// Reads the GPU work only: kernels, then copies, then memsets.
Result<std::vector<PhaseOperation>> ReadOperations(const ProfileSource& reader,
                                                   const Profile& profile);

// Returns the values, wall time and lanes of a range. Reads samples slice by slice, so that memory
// does not grow with the length of the range. If GPU records are missing for some of the time, also
// reads the launches, from which the missing GPU work is estimated.
Result<PartValues> AddUpPart(const ProfileSource& reader, const Profile& profile,
                             const PartEvents& events, TimeRange range,
                             int64_t of_slice = kOperationsOfSlice);

}  // namespace gprofx
