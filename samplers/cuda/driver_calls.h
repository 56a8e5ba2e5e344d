// The program's calls of the driver, as CUPTI tells of them, and which of them it is to tell.
#pragma once

#include <cupti.h>

#include <chrono>

namespace gprofx::cuda {

void OnDriverCall(CUpti_CallbackId id, const CUpti_CallbackData& data);

// Of those that we listen to. CUPTI_SUCCESS if it is at least one, else the latest refusal.
CUptiResult EnableDriverCalls();

// The program's CUDA calls are listened to; so they are after EnableCallbacks. `by_hooks`: launches
// of kernels by launch_hooks.h. Our own thread.
void ListenToCalls(bool by_hooks);
// While they are: launches of kernels by hooks, or by CUPTI again. As IgnoreCalls; false: as before.
bool HearByHooks(std::chrono::nanoseconds limit);
void HearByCupti();
// They are no longer, but for those of memory, contexts, modules and graphs. Our own thread. False:
// the program's threads were inside of calls for all of `limit` (call_gate.h); nothing has changed.
bool IgnoreCalls(std::chrono::nanoseconds limit);
// After that, those of memory, too, and calls that had begun have ended. False: that did not come within
// twice the `limit`. A thread that stays inside of a call is within it for whoever uses CUPTI next.
bool IgnoreAll(std::chrono::nanoseconds limit);

}  // namespace gprofx::cuda
