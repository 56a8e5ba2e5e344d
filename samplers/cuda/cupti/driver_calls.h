// Handles the program's driver calls that CUPTI reports, and chooses which calls it reports. Used
// only while CUPTI is in the process (cupti_session.h).
#pragma once

#include <cupti.h>

#include <chrono>

namespace gprofx::cuda {

void OnDriverCall(CUpti_CallbackId id, const CUpti_CallbackData& data);

// Makes CUPTI report all followed calls, or only memory calls if `all` is false. Returns
// CUPTI_SUCCESS if at least one function is enabled, else the latest error. This function and all
// functions below are for our own thread.
CUptiResult FollowCalls(bool all);
// Undoes IgnoreCalls: makes CUPTI report all calls again.
void ListenToCalls();
// Makes CUPTI report only memory calls from now on. If threads of the program were inside calls for
// the whole `limit` (call_gate.h), changes nothing and returns false.
bool IgnoreCalls(std::chrono::nanoseconds limit);
// Makes hooks (driver_hooks.h) hear all calls from now on, and CUPTI report none. Hooks enter the
// call gate as long as CUPTI is in the process. If threads of the program were inside calls for the
// whole `limit`, changes nothing and returns false.
bool HandOverToHooks(std::chrono::nanoseconds limit);
// Called after IgnoreCalls or HandOverToHooks. Makes CUPTI report nothing, and waits until the
// calls that it followed have ended. Returns false if that takes more than twice the `limit`. To
// the next client of CUPTI, a thread that was still inside a call then seems to stay inside it.
bool IgnoreAll(std::chrono::nanoseconds limit);

}  // namespace gprofx::cuda
