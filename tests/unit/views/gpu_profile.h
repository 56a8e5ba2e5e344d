// A small training run on a GPU as the recorder would store it: eager kernels, a replayed CUDA
// graph, copies, PC samples down to source lines, a thread that waits.
#pragma once

#include "core/model/profile.h"

namespace gprofx::testing {

Profile GpuProfile();         // complete, good, with PC samples
Profile GpuTraceProfile();    // the same without PC samples
Profile HostileGpuProfile();  // every name holds escapes, every number is absurd

}  // namespace gprofx::testing
