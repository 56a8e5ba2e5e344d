// The program's driver calls as CUPTI reports them, and the choice of calls that it reports. Use
// only while CUPTI is in the process (cupti_session.h).
#pragma once

#include <cupti.h>

#include <chrono>

namespace gprofx::cuda {

void OnDriverCall(CUpti_CallbackId id, const CUpti_CallbackData& data);

// Makes CUPTI report all calls, or only memory calls if `all` is false. Returns CUPTI_SUCCESS if at
// least one function is enabled, else the latest error. Our own thread, like all functions below.
CUptiResult FollowCalls(bool all);
// Reports all calls again, after IgnoreCalls.
void ListenToCalls();
// Reports only memory calls from now on. Returns false, without effect, if threads of the program
// were inside calls for the whole `limit` (call_gate.h).
bool IgnoreCalls(std::chrono::nanoseconds limit);
// From now on hooks (driver_hooks.h) hear all calls and CUPTI reports none. Hooks enter the call
// gate as long as CUPTI is in the process. Returns false, without effect, if threads of the program
// were inside calls for the whole `limit`.
bool HandOverToHooks(std::chrono::nanoseconds limit);
// After IgnoreCalls or HandOverToHooks: stops all reports of CUPTI and waits until the calls that
// it followed have ended. Returns false if this takes more than twice the `limit`. To the next
// client of CUPTI, a thread that stayed inside a call then still seems to be inside it.
bool IgnoreAll(std::chrono::nanoseconds limit);

}  // namespace gprofx::cuda
