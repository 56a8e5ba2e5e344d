// The contexts that frameworks use, one per GPU. CUPTI does not report existing contexts, so the
// driver is asked.
#pragma once

#include <cuda.h>

#include <functional>

namespace gprofx::cuda {

// Calls `use` for each existing primary context. The context is current to the calling thread
// during the call and cannot end meanwhile. Our own thread, or the program's thread that starts us.
void ForEachPrimaryContext(const std::function<void(CUcontext)>& use);

}  // namespace gprofx::cuda
