// Manages our subscription to CUPTI: sets up the callbacks that CUPTI calls on the program's
// threads.
#pragma once

#include <cupti.h>

#include <string>

namespace gprofx::cuda {

// Takes CUPTI's only subscription. If another client has it or CUPTI cannot be used, returns false
// and sets *problem to the reason, with the client's name.
bool Subscribe(std::string* problem);

// Enables exactly the callbacks that are needed. If `calls`, CUPTI reports all followed calls,
// otherwise only memory calls (FollowCalls in driver_calls.h). If CUPTI refuses all of them,
// returns false and sets *problem to the reason.
bool EnableCallbacks(bool calls, std::string* problem);
// Disables the callbacks for contexts, modules and graphs, and waits until no thread is in a
// callback. Returns false if a thread stays in one.
bool EndCallbacks();

// Enables or disables the callback of one driver function or one kind of event.
CUptiResult EnableCallback(CUpti_CallbackDomain domain, CUpti_CallbackId id, bool on = true);

// Undoes Subscribe. After that, another client can subscribe.
void Unsubscribe();

}  // namespace gprofx::cuda
