// Our subscription: the callbacks that CUPTI calls on the program's threads.
#pragma once

#include <cupti.h>

#include <string>

namespace gprofx::cuda {

// Takes CUPTI's only subscription. Returns false if another client has it (`problem` names it) or
// CUPTI cannot be used.
bool Subscribe(std::string* problem);

// Enables exactly the callbacks that are needed. `calls`: report all calls, not only memory calls
// (FollowCalls in driver_calls.h). Returns false if CUPTI refuses all of them.
bool EnableCallbacks(bool calls, std::string* problem);
// Disables the callbacks for contexts, modules and graphs, and waits until no thread is in a
// callback. Returns false if one still is.
bool EndCallbacks();

// Enables or disables the callback of one driver function or one kind of event.
CUptiResult EnableCallback(CUpti_CallbackDomain domain, CUpti_CallbackId id, bool on = true);

// Undoes Subscribe: another client can then subscribe.
void Unsubscribe();

}  // namespace gprofx::cuda
