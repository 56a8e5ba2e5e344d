// Holds the state that the callbacks on the program's threads share with our own thread. One object
// per process, never destroyed.
#pragma once

#include <atomic>
#include <cstdint>

#include "samplers/cuda/cupti/pc_sampling.h"
#include "samplers/cuda/hooks/call_gate.h"
#include "samplers/cuda/levels/call_times.h"
#include "samplers/cuda/names.h"

namespace gprofx::cuda {

struct Shared {
  Names names;
  PcSampling pc;
  CallGate gate;                           // knows whether threads are in CUDA calls
  CallTimes times;                         // durations of the program's launches
  std::atomic<bool> out_of_memory{false};  // the program failed to allocate device memory
  std::atomic<bool> cupti_ended{false};    // CUPTI finalised itself after a fatal error
};
Shared& TheShared();
// Makes new state for a new recording. No new callback uses the previous state any more.
void ForgetShared();

}  // namespace gprofx::cuda
