// Finds the primary contexts, which frameworks use, one per GPU. CUPTI does not report contexts
// that are older than its arrival in the process, so the driver is asked.
#pragma once

#include <cuda.h>

#include <functional>

namespace gprofx::cuda {

// Calls `use` for each existing primary context. Meanwhile the context is current to the calling
// thread and cannot end. For our own thread, or for the program's thread that starts us.
void ForEachPrimaryContext(const std::function<void(CUcontext)>& use);

}  // namespace gprofx::cuda
