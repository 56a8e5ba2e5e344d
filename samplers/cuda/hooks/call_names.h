// Selects the driver functions that we listen to by their names. A newer CUPTI with more variants
// of them thus needs no new table here. Pure.
#pragma once

#include "samplers/wire/gpu.h"

namespace gprofx::cuda {

// Returns the kind of call of the driver function `name`, such as kCallLaunch for
// "cuLaunchKernelEx_ptsz". Returns kCallNone for functions of no interest.
wire::GpuCall CallOfName(const char* name);

// True for launches whose second parameter is the kernel's handle. The first one is then a
// configuration.
bool TakesHandleSecond(const char* name);

// True for cuGetProcAddress. Its first two parameters are the name of a function and a pointer to
// where the function's address is written.
bool HandsOutFunctions(const char* name);

// True for functions that make contexts, or that make or copy nodes of graphs. Only CUPTI reports
// such an event. Its callbacks must be on before the call, and CUPTI stays in the process from then
// on (fence.h).
bool NeedsCupti(const char* name);

// True for calls that put work on a GPU. The records of that work refer to the call by its
// correlation id.
constexpr bool PutsWork(wire::GpuCall call) {
  return call >= wire::kCallLaunch && call <= wire::kCallSetAsync;
}

// True for calls that only wait. Other calls may wait as well (wire::IsWaitingCall).
constexpr bool OnlyWaits(wire::GpuCall call) {
  return call == wire::kCallStreamSync || call == wire::kCallContextSync ||
         call == wire::kCallEventSync;
}

// Returns the minimum duration in ns of a call that is recorded. Shorter calls carry no
// information.
constexpr uint64_t LeastDurationNs(wire::GpuCall call) {
  return OnlyWaits(call) || call == wire::kCallCopy ? 2'000 : 20'000;
}

}  // namespace gprofx::cuda
