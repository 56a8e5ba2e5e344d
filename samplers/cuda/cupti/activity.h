// Handles CUPTI's activity records: lends CUPTI buffers, and translates the records to the wire
// format.
//
// CUPTI requests buffers on the program's threads. They come from a pool that was allocated before.
// Full buffers are queued, and our own thread translates them (TranslateCompleted). CUPTI calls the
// callbacks from any thread.
#pragma once

#include <cupti.h>

#include <string>

#include "samplers/cuda/names.h"

namespace gprofx::cuda {

// Registers the callbacks. Must be called each time CUPTI was loaded into the process or has come
// back to it. If CUPTI refuses, returns false and sets *problem to the reason.
bool SetUpActivity(std::string* problem);
// Turn records of kernels, copies and memsets on or off, which takes 0.02 to 0.04 ms. Work that was
// launched before stays as it was, with or without records. DisableRecords must be called after a
// flush, while no thread is inside a CUDA call (call_gate.h). CUPTI must not be flushed until
// records are enabled again.
CUptiResult EnableRecords();
void DisableRecords();
// Do the work of EnableRecords and DisableRecords, but leave CUPTI's records of its own overhead
// off. A flush would make such a record, for which there would be no buffer.
CUptiResult EnableRecordsOfWork();
void DisableRecordsOfWork();
// Undoes SetUpActivity. Called if a later step of the set-up fails.
void RemoveActivity();
// Takes back the buffers that CUPTI never returned and those that it returned while it left. Called
// after CUPTI has left the process.
void TakeBackBuffers();

// Translates the buffers that CUPTI has completed. Called only from our own thread (service.h), or
// from a thread that replaces it.
void TranslateCompleted(Names& names);

}  // namespace gprofx::cuda
