// Reads the events of a range of a recording from its streams. Used only inside formats/. In all
// functions `reader` is a ProfileReader or a ProfileSet.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/model/profile.h"
#include "core/slice/part_builder.h"
#include "formats/profile/profile_source.h"

namespace gprofx {

// Maximum number of GPU operations held in memory. If a recording has more, PartEvents holds none
// of them, and each consumer reads them again.
inline constexpr int64_t kMaxOperations = 2'000'000;

// Reads the events of the whole recording: GPU work, calls that wait, where threads wait, launches
// that waited for queue space, markers, GPU memory, and windows with and without GPU records. Reads
// no samples. If the recording has more than `most_operations` GPU operations, leaves the GPU work
// out.
Result<PartEvents> ReadPartEvents(const ProfileSource& reader, const Profile& profile,
                                  int64_t most_operations = kMaxOperations);

// Passes the GPU work that begins in `slice` to `take`, in several calls: first kernels, then
// copies, then memsets. If `events` holds the operations, ignores `slice` and passes all of them in
// one call.
using TakeOperations = std::function<void(std::span<const PhaseOperation>)>;
Status ForOperations(const ProfileSource& reader, const Profile& profile, const PartEvents& events,
                     TimeRange slice, const TakeOperations& take);

// Divides `range` into slices of at most one minute, each with about `operations` operations. There
// are at most 10000 slices; those of a very long range are therefore longer.
inline constexpr int64_t kOperationsOfSlice = 500'000;
std::vector<TimeRange> SlicesOf(const Profile& profile, TimeRange range, int64_t operations);
// Returns slice i. The first slice also includes all earlier time, and the last one all later time.
TimeRange Outwards(std::span<const TimeRange> slices, size_t i);

// Reads only the GPU work: all kernels, then all copies, then all memsets.
Result<std::vector<PhaseOperation>> ReadOperations(const ProfileSource& reader,
                                                   const Profile& profile);

// Returns the values, wall time and lanes of a range. Reads samples slice by slice, so the memory
// does not grow with the length of the range. If GPU records are missing for some of the time, also
// reads the launches, from which the missing GPU work is estimated.
Result<PartValues> AddUpPart(const ProfileSource& reader, const Profile& profile,
                             const PartEvents& events, TimeRange range,
                             int64_t of_slice = kOperationsOfSlice);

}  // namespace gprofx
