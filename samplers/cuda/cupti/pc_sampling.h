// PC sampling of the process: which contexts are sampled, and the one lock around them.
//
// CUPTI samples one context per GPU. A context that cannot be sampled is only traced, and the user
// is told why. Context events come from callbacks on the program's threads, Drain from our own.
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
  // Has one of them to be set up anew or stopped, which Repair does?
  bool needs_repair();
  // No thread may be inside of a CUDA call (call_gate.h), here and in the three below: CUPTI would
  // wait for it, and it for CUPTI. Not so at the program's end, which is not held up by it for ever
  // (FinishService), and in ContextDestroyed, whose caller is in the call that ends the context.
  void Repair(Names& names);
  // The program found no device memory: gives back what sampling holds.
  void ReleaseMemory(Names& names);
  void StopAll(Names& names);
  // Ends it for good.
  void GiveUp(Names& names);
  // Is any context sampled, or would be?
  bool active();

 private:
  bool Claim(const DeviceId& device);

  std::mutex lock_;
  // From the first context of a GPU that is sampled to the end of sampling in this process.
  std::map<DeviceId, GpuClaim> claims_;
  std::vector<std::unique_ptr<PcContext>> contexts_;
  bool given_up_ = false;
};

}  // namespace gprofx::cuda
