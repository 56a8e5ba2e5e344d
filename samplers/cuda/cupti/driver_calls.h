// The program's calls of the driver, as CUPTI tells of them, and which of them it is to tell. All
// of it only while CUPTI is in the process (cupti_session.h).
#pragma once

#include <cupti.h>

#include <chrono>

namespace gprofx::cuda {

void OnDriverCall(CUpti_CallbackId id, const CUpti_CallbackData& data);

// CUPTI tells of calls from now on; of those of memory only, if `all` are not wanted. CUPTI_SUCCESS
// if it is at least one function, else the latest refusal. Our own thread, as all that follow.
CUptiResult FollowCalls(bool all);
// All calls are told of again, after IgnoreCalls.
void ListenToCalls();
// Calls are told of no longer, but for those of memory. False: the program's threads were inside of
// calls for all of `limit` (call_gate.h), and nothing has changed.
bool IgnoreCalls(std::chrono::nanoseconds limit);
// Hooks hear all calls, and CUPTI tells of none; as long as it is in the process hooks enter the
// gate. Likewise.
bool HandOverToHooks(std::chrono::nanoseconds limit);
// After IgnoreCalls or HandOverToHooks: CUPTI tells of no call any more, and those have ended that
// it followed. False: that did not come within twice the `limit`. A thread that stays inside of a
// call is within it for whoever uses CUPTI next.
bool IgnoreAll(std::chrono::nanoseconds limit);

}  // namespace gprofx::cuda
