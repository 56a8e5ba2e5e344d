// What CUPTI calls on the program's threads: CUDA calls, contexts, modules, graph nodes.
#pragma once

#include <atomic>
#include <string>

#include "samplers/cuda/names.h"
#include "samplers/cuda/pc_sampling.h"

namespace gprofx::cuda {

struct Shared {  // one per process, never destroyed
  Names names;
  PcSampling pc;
  std::atomic<bool> out_of_memory{false};  // the program was refused device memory
  std::atomic<bool> cupti_ended{false};    // CUPTI finalised itself after a fatal error
};
Shared& TheShared();

// Subscribes and enables exactly the callbacks that are needed. False: another client is there
// (`problem` names it).
bool SetUpCallbacks(std::string* problem);

}  // namespace gprofx::cuda
