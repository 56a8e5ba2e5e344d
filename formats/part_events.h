// What a part of a recording is made of, read from its streams. Used inside formats/ only. The reader
// is a ProfileReader or a ProfileSet.
#pragma once

#include "core/part_builder.h"
#include "core/profile.h"
#include "core/result.h"
#include "formats/profile_set.h"

namespace gprofx {

// Of the whole recording: GPU work, waits, markers and full queues; not the samples.
template <class Reader>
Result<PartEvents> ReadPartEvents(const Reader& reader, const Profile& profile);

// Reads the samples of the range slice by slice, so that memory does not grow with its length.
template <class Reader>
Result<PartValues> AddUpPart(const Reader& reader, const Profile& profile, const PartEvents& events,
                             TimeRange range);

}  // namespace gprofx
