// What a part of a recording is made of, read from its streams. Used inside formats/ only. The reader
// is a ProfileReader or a ProfileSet.
#pragma once

#include <vector>

#include "core/part_builder.h"
#include "core/profile.h"
#include "core/result.h"
#include "formats/profile_source.h"

namespace gprofx {

// Of the whole recording: GPU work, waits, markers, full queues and windows; not the samples.
Result<PartEvents> ReadPartEvents(const ProfileSource& reader, const Profile& profile);

// Only the GPU work of it: kernels, then copies, then memsets.
Result<std::vector<PhaseOperation>> ReadOperations(const ProfileSource& reader,
                                                   const Profile& profile);

// Reads the samples of the range slice by slice, so that memory does not grow with its length;
// and the launches, where work is estimated.
Result<PartValues> AddUpPart(const ProfileSource& reader, const Profile& profile,
                             const PartEvents& events, TimeRange range);

}  // namespace gprofx
