// Reads the data that the inefficiency detectors need in addition to the GPU work
// (formats/reading/analysis_read.h): calls, kinds of copies, and the samples of the shown range. Of
// the samples, it reads those of threads that launch GPU work, and those in which another thread of
// the same processes held the GIL. Blocking. Memory: 48 bytes per call. Samples are passed on one
// chunk at a time.
#pragma once

#include "core/base/result.h"
#include "core/events/finding_events.h"
#include "core/gpu/gpu_work.h"
#include "core/model/profile.h"
#include "core/steps/phases.h"
#include "formats/profile/profile_source.h"

namespace gprofx {

// Reads everything except the samples. `profile` must have been loaded from `source`; `work` is all
// of its GPU work.
Result<FindingEvents> ReadFindingEvents(const ProfileSource& source, const Profile& profile,
                                        const GpuWorkEvents& work);
Status ReadFindingSamples(const ProfileSource& source, const Profile& profile,
                          const GpuWorkEvents& work, TimeRange shown,
                          const FindingEvents::TakeSamples& take);

}  // namespace gprofx
