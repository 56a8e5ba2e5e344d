// The contexts that frameworks use, one of each GPU. CUPTI tells nobody of contexts that are there
// already, so the driver is asked.
#pragma once

#include <cuda.h>

#include <functional>

namespace gprofx::cuda {

// Each that exists is current to the calling thread while `use` has it, and does not end meanwhile.
// Our own thread, or that of the program that starts us.
void ForEachPrimaryContext(const std::function<void(CUcontext)>& use);

}  // namespace gprofx::cuda
