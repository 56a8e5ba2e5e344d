// Our subscription: what CUPTI calls on the program's threads.
#pragma once

#include <cupti.h>

#include <string>

namespace gprofx::cuda {

// Takes CUPTI's one subscription. False: another client has it (`problem` names it), or CUPTI
// cannot be used.
bool Subscribe(std::string* problem);

// Enables exactly the callbacks that are needed; `calls`: as FollowCalls. False if CUPTI refuses
// all of them.
bool EnableCallbacks(bool calls, std::string* problem);
// Those of contexts, modules and graphs are off, and no thread is in a callback. False: one is
// still.
bool EndCallbacks();

// Of one function of the driver, or one kind of event.
CUptiResult EnableCallback(CUpti_CallbackDomain domain, CUpti_CallbackId id, bool on = true);

// The undoing of both: another client finds CUPTI free.
void Unsubscribe();

}  // namespace gprofx::cuda
