// Our subscription to CUPTI: sets up the callbacks that CUPTI calls on the program's threads.
#pragma once

#include <cupti.h>

#include <string>

namespace gprofx::cuda {

// Takes CUPTI's only subscription. Returns false if another client has it or CUPTI cannot be used;
// *problem then says why and names the client.
bool Subscribe(std::string* problem);

// Enables exactly the callbacks that are needed. If `calls`, CUPTI reports all followed calls,
// otherwise only memory calls (FollowCalls in driver_calls.h). Returns false if CUPTI refuses all
// of them; *problem then says why.
bool EnableCallbacks(bool calls, std::string* problem);
// Disables the callbacks for contexts, modules and graphs, and waits until no thread is in a
// callback. Returns false if one still is.
bool EndCallbacks();

// Enables or disables the callback of one driver function or one kind of event.
CUptiResult EnableCallback(CUpti_CallbackDomain domain, CUpti_CallbackId id, bool on = true);

// Undoes Subscribe. Another client can then subscribe.
void Unsubscribe();

}  // namespace gprofx::cuda
