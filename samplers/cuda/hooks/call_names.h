// Which driver functions we listen to, by their names: a newer CUPTI that knows more variants needs
// no new table here. Pure.
#pragma once

#include "samplers/wire/gpu.h"

namespace gprofx::cuda {

// "cuLaunchKernelEx_ptsz" -> kCallLaunch; kCallNone for all that is of no interest.
wire::GpuCall CallOfName(const char* name);

// The launches that take the kernel's handle as their second parameter, behind a configuration.
bool TakesHandleSecond(const char* name);

// cuGetProcAddress: its first two parameters are a name and where the function of that name is
// written.
bool HandsOutFunctions(const char* name);

// Makes contexts, or makes or copies nodes of graphs, of which CUPTI alone tells: its callbacks
// have to be on by then, and it stays (fence.h).
bool NeedsCupti(const char* name);

// Calls that put work on a GPU: its records refer to the call by its correlation id.
constexpr bool PutsWork(wire::GpuCall call) {
  return call >= wire::kCallLaunch && call <= wire::kCallSetAsync;
}

// Calls that are there to wait and do nothing else; others wait, too (wire::IsWaitingCall).
constexpr bool OnlyWaits(wire::GpuCall call) {
  return call == wire::kCallStreamSync || call == wire::kCallContextSync ||
         call == wire::kCallEventSync;
}

// Calls shorter than this say nothing: no record of their duration is made.
constexpr uint64_t LeastDurationNs(wire::GpuCall call) {
  return OnlyWaits(call) || call == wire::kCallCopy ? 2'000 : 20'000;
}

}  // namespace gprofx::cuda
