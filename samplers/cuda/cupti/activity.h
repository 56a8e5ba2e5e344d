// CUPTI's activity records: a pool of buffers, and their translation to the wire.
//
// CUPTI asks for buffers on the program's threads: they come from a pool that was mapped before.
// Full ones are queued and translated by our own thread (Translate). Setup once; the callbacks are
// called by CUPTI from any thread.
#pragma once

#include <cupti.h>

#include <string>

#include "samplers/cuda/names.h"

namespace gprofx::cuda {

// Registers the callbacks, whenever CUPTI has come. False if it refuses; `problem` says so.
bool SetUpActivity(std::string* problem);
// Whether records of kernels, copies and memsets are made from now on. In 0.02 to 0.04 ms; exact:
// work that was launched before has, or has not, its records. They end after a flush, while no
// thread is inside of a CUDA call (call_gate.h), and CUPTI is not flushed until they are enabled
// again.
CUptiResult EnableRecords();
void DisableRecords();
// The same without what CUPTI tells of itself, of which a flush would make one that has no buffer.
CUptiResult EnableRecordsOfWork();
void DisableRecordsOfWork();
// The undoing, if a later step of the set-up fails.
void RemoveActivity();
// CUPTI has left the process, and uses no buffer any more: those that it never gave back, or as it
// left, are free.
void TakeBackBuffers();

// Translates the buffers that CUPTI completed. Our own thread only, or whoever has taken its place.
void TranslateCompleted(Names& names);

}  // namespace gprofx::cuda
