// PC sampling of the process: which contexts are sampled, and the only lock around them.
//
// CUPTI samples one context per GPU. A context that cannot be sampled is only traced, and the user
// gets the reason. Context events come from callbacks on the program's threads, Drain is called
// from our own.
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
  // Sets up again or stops the contexts that need it. While Repair, ReleaseMemory, StopAll or
  // GiveUp runs, no thread may be inside a CUDA call (call_gate.h): CUPTI would wait for the
  // thread, and the thread for CUPTI. There are two exceptions: FinishService calls them at the end
  // of the program and limits its waiting, and ContextDestroyed is called from inside the CUDA call
  // that ends the context.
  void Repair(Names& names);
  // Call it when the program runs out of device memory: frees the memory that sampling holds.
  void ReleaseMemory(Names& names);
  void StopAll(Names& names);
  // Stops sampling for good.
  void GiveUp(Names& names);
  // True if a context is sampled or new ones would be.
  bool active();

 private:
  bool Claim(const DeviceId& device);

  std::mutex lock_;
  // Held from the first sampled context of a GPU to the end of sampling in this process.
  std::map<DeviceId, GpuClaim> claims_;
  std::vector<std::unique_ptr<PcContext>> contexts_;
  bool given_up_ = false;
};

}  // namespace gprofx::cuda
