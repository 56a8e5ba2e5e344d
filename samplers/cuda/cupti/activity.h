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

// Registers the callbacks, each time CUPTI has come. Returns false if CUPTI refuses; `problem` has
// the reason.
bool SetUpActivity(std::string* problem);
// Turns records of kernels, copies and memsets on or off, in 0.02 to 0.04 ms. Exact: work launched
// earlier keeps its state, with or without records. Disable them after a flush, while no thread is
// inside a CUDA call (call_gate.h), and do not flush CUPTI until they are enabled again.
CUptiResult EnableRecords();
void DisableRecords();
// The same without CUPTI's records of its own overhead: a flush would make one that has no buffer.
CUptiResult EnableRecordsOfWork();
void DisableRecordsOfWork();
// Undoes SetUpActivity if a later step of the set-up fails.
void RemoveActivity();
// Call it after CUPTI has left the process: frees the buffers that CUPTI never returned, and those
// that it returned while leaving.
void TakeBackBuffers();

// Translates the buffers that CUPTI completed. Our own thread only, or the thread that replaces it.
void TranslateCompleted(Names& names);

}  // namespace gprofx::cuda
