// What CUPTI calls on the program's threads: CUDA calls, contexts, modules, graph nodes.
#pragma once

#include <atomic>
#include <chrono>
#include <string>

#include "samplers/cuda/call_gate.h"
#include "samplers/cuda/names.h"
#include "samplers/cuda/pc_sampling.h"

namespace gprofx::cuda {

struct Shared {  // one per process, never destroyed
  Names names;
  PcSampling pc;
  CallGate gate;  // of the program's CUDA calls
  std::atomic<bool> out_of_memory{false};  // the program was refused device memory
  std::atomic<bool> cupti_ended{false};    // CUPTI finalised itself after a fatal error
};
Shared& TheShared();
// Another recording begins anew; nothing of the one before is used any more.
void ForgetShared();

// Takes CUPTI's one subscription. False: another client has it (`problem` names it), or CUPTI cannot
// be used.
bool Subscribe(std::string* problem);

// Enables exactly the callbacks that are needed. False if CUPTI refuses all of them.
bool EnableCallbacks(std::string* problem);

// The program's CUDA calls are listened to; so they are after EnableCallbacks. `by_hooks`: launches
// of kernels by launch_hooks.h. Our own thread.
void ListenToCalls(bool by_hooks);
// While they are: launches of kernels by hooks, or by CUPTI again. As IgnoreCalls; false: as before.
bool HearByHooks(std::chrono::nanoseconds limit);
void HearByCupti();
// They are no longer, but for those of memory, contexts, modules and graphs. Our own thread. False:
// the program's threads were inside of calls for all of `limit` (call_gate.h); nothing has changed.
bool IgnoreCalls(std::chrono::nanoseconds limit);
// After that, those of memory, too, and calls that had begun have ended; as far as that comes within
// twice the `limit`: a thread that stays inside of a call is within it for whoever uses CUPTI next.
void IgnoreAll(std::chrono::nanoseconds limit);

// The undoing of both: another client finds CUPTI free.
void Unsubscribe();

// CUPTI tells nobody of contexts that are there already: the primary ones, which frameworks use, are
// asked for. Our own thread; each is current to it for a moment.
void TakePresentContexts();

}  // namespace gprofx::cuda
