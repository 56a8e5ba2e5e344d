// Reads what the inefficiency detectors need beside the GPU work (formats/reading/analysis_read.h):
// calls, kinds of copies, and samples of the shown range. Samples are those of threads that launch
// GPU work, and those of other threads of the same processes that held the GIL. Blocking. Memory:
// 48 bytes per call; samples are passed on a chunk at a time.
#pragma once

#include "core/base/result.h"
#include "core/events/finding_events.h"
#include "core/gpu/gpu_work.h"
#include "core/model/profile.h"
#include "core/steps/phases.h"
#include "formats/profile/profile_source.h"

namespace gprofx {

// `profile` must come from `source`; `work` is all of its GPU work. Does not read samples.
Result<FindingEvents> ReadFindingEvents(const ProfileSource& source, const Profile& profile,
                                        const GpuWorkEvents& work);
Status ReadFindingSamples(const ProfileSource& source, const Profile& profile,
                          const GpuWorkEvents& work, TimeRange shown,
                          const FindingEvents::TakeSamples& take);

}  // namespace gprofx
