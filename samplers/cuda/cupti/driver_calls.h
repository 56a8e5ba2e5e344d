// Handles the program's driver calls that CUPTI reports, and chooses which calls it reports. Use it
// only while CUPTI is in the process (cupti_session.h).
#pragma once

#include <cupti.h>

#include <chrono>

namespace gprofx::cuda {

void OnDriverCall(CUpti_CallbackId id, const CUpti_CallbackData& data);

// Makes CUPTI report all followed calls, or only memory calls if `all` is false. Returns
// CUPTI_SUCCESS if at least one function is enabled, else the latest error. This and all functions
// below are for our own thread.
CUptiResult FollowCalls(bool all);
// Makes CUPTI report all calls again, after IgnoreCalls.
void ListenToCalls();
// Makes CUPTI report only memory calls from now on. Returns false, with nothing changed, if threads
// of the program were inside calls for the whole `limit` (call_gate.h).
bool IgnoreCalls(std::chrono::nanoseconds limit);
// From now on hooks (driver_hooks.h) hear all calls and CUPTI reports none. Hooks enter the call
// gate as long as CUPTI is in the process. Returns false, with nothing changed, if threads of the
// program were inside calls for the whole `limit`.
bool HandOverToHooks(std::chrono::nanoseconds limit);
// Called after IgnoreCalls or HandOverToHooks: makes CUPTI report nothing, and waits until the
// calls that it followed have ended. Returns false if that takes more than twice the `limit`. For
// the next client of CUPTI, a thread that was still inside a call then seems to stay inside it.
bool IgnoreAll(std::chrono::nanoseconds limit);

}  // namespace gprofx::cuda
