// Reads the timelines of a profile, for ProfileReader. Used only inside formats/.
#pragma once

#include <functional>
#include <span>

#include "core/base/result.h"
#include "core/events/events.h"
#include "core/model/profile.h"
#include "formats/database/event_chunk.h"
#include "formats/profile/profile_open.h"

namespace gprofx {

Result<int64_t> ReadSamples(const ProfileFile& file, HostNs begin, HostNs end,
                            const std::function<void(std::span<const SampleRow>)>& sink);

Result<int64_t> ReadEvents(const ProfileFile& file, Stream stream, std::span<const size_t> columns,
                           HostNs begin, HostNs end,
                           const std::function<void(const EventTable&)>& sink);

// Returns the maximum ids that event rows of this file may contain.
EventLimits EventLimitsOf(const ProfileFile& file);

}  // namespace gprofx
