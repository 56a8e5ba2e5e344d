// What the detectors of inefficiencies need beside the GPU work (formats/reading/analysis_read.h):
// calls, kinds of copies, and samples of what is shown: of threads that put work on a GPU, and of
// those beside them that held the interpreter's lock. Blocking; memory: 48 bytes for each call;
// samples are given on, a chunk at a time.
#pragma once

#include "core/base/result.h"
#include "core/events/finding_events.h"
#include "core/gpu/gpu_work.h"
#include "core/model/profile.h"
#include "core/steps/phases.h"
#include "formats/profile/profile_source.h"

namespace gprofx {

// `profile` is that of the source, `work` all of its GPU work. Without samples.
Result<FindingEvents> ReadFindingEvents(const ProfileSource& source, const Profile& profile,
                                        const GpuWorkEvents& work);
Status ReadFindingSamples(const ProfileSource& source, const Profile& profile,
                          const GpuWorkEvents& work, TimeRange shown,
                          const FindingEvents::TakeSamples& take);

}  // namespace gprofx
