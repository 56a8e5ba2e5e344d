// CUPTI's activity records: a pool of buffers, and their translation to the wire.
//
// CUPTI requests buffers on the program's threads; they come from a preallocated pool. Full buffers
// are queued and translated by our own thread (TranslateCompleted). CUPTI calls the callbacks from
// any thread.
#pragma once

#include <cupti.h>

#include <string>

#include "samplers/cuda/names.h"

namespace gprofx::cuda {

// Registers the callbacks. Call it each time CUPTI is loaded into the process or comes back to it.
// Returns false if CUPTI refuses; `problem` has the reason.
bool SetUpActivity(std::string* problem);
// Turns records of kernels, copies and memsets on or off, in 0.02 to 0.04 ms. Exact: work launched
// earlier keeps its state, with or without records. Disable them after a flush, while no thread is
// inside a CUDA call (call_gate.h), and do not flush CUPTI until they are enabled again.
CUptiResult EnableRecords();
void DisableRecords();
// As EnableRecords and DisableRecords, but leave CUPTI's records of its own overhead off: a flush
// would make such a record, and there would be no buffer for it.
CUptiResult EnableRecordsOfWork();
void DisableRecordsOfWork();
// Undoes SetUpActivity if a later step of the set-up fails.
void RemoveActivity();
// Call it after CUPTI has left the process: frees the buffers that CUPTI never returned, and those
// that it returned while leaving.
void TakeBackBuffers();

// Translates the buffers that CUPTI completed. Called only from our own thread (service.h), or from
// a thread that replaces it.
void TranslateCompleted(Names& names);

}  // namespace gprofx::cuda
