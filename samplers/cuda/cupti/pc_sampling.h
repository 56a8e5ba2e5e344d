// Manages PC sampling of the process: decides which contexts are sampled, and has the only lock
// around them.
//
// CUPTI samples one context per GPU. A context that cannot be sampled is only traced, and the user
// is told why. Callbacks on the program's threads report contexts. Our own thread calls Drain.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "samplers/cuda/cupti/pc_context.h"

namespace gprofx::cuda {

class PcSampling {
 public:
  void ContextCreated(CUcontext context, uint32_t id, uint32_t device, const DeviceFacts& facts);
  void ContextDestroyed(CUcontext context, Names& names);
  void Drain(Names& names);
  // True if a context must be set up again or stopped, which Repair does.
  bool needs_repair();
  // Sets up again or stops the contexts that need it.
  //
  // While Repair, ReleaseMemory, StopAll or GiveUp runs, no thread may be inside a CUDA call
  // (call_gate.h): CUPTI would wait for the thread, and the thread for CUPTI. There are two
  // exceptions. FinishService calls them at the end of the program and limits its waiting.
  // ContextDestroyed is called from inside the CUDA call that ends the context.
  void Repair(Names& names);
  // Frees the memory that sampling uses. Called when the program runs out of device memory.
  void ReleaseMemory(Names& names);
  void StopAll(Names& names);
  // Stops sampling. It cannot be started again.
  void GiveUp(Names& names);
  // True if a context is sampled or a new one would be.
  bool active();

 private:
  bool Claim(const DeviceId& device);

  std::mutex lock_;
  // The claims of this process on GPUs. A claim is held from the first sampled context of a GPU to
  // the end of sampling.
  std::map<DeviceId, GpuClaim> claims_;
  std::vector<std::unique_ptr<PcContext>> contexts_;
  bool given_up_ = false;
};

}  // namespace gprofx::cuda
