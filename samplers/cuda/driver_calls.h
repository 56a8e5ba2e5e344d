// The program's calls of the driver, as CUPTI tells of them, and which of them it is to tell. All of it
// only while CUPTI is in the process (cupti_session.h).
#pragma once

#include <cupti.h>

#include <chrono>

namespace gprofx::cuda {

void OnDriverCall(CUpti_CallbackId id, const CUpti_CallbackData& data);

// Of those that we follow. CUPTI_SUCCESS if it is at least one, else the latest refusal.
CUptiResult EnableDriverCalls();

// The program's CUDA calls are listened to; so they are after EnableDriverCalls. Our own thread.
void ListenToCalls();
// They are no longer, but for those of memory, contexts, modules and graphs. Our own thread. False:
// the program's threads were inside of calls for all of `limit` (call_gate.h); nothing has changed.
bool IgnoreCalls(std::chrono::nanoseconds limit);
// Hooks listen to all calls, and CUPTI tells of none. Likewise.
bool HandOverToHooks(std::chrono::nanoseconds limit);
// CUPTI tells of all calls again.
void TakeBackFromHooks();
// After IgnoreCalls or HandOverToHooks: CUPTI tells of no call any more, and those have ended that it
// followed. False: that did not come within twice the `limit`. A thread that stays inside of a call is
// within it for whoever uses CUPTI next.
bool IgnoreAll(std::chrono::nanoseconds limit);

}  // namespace gprofx::cuda
