// Turns what the recording does in this process up and down (wire/gpu.h, GpuLevel).
//
// Our own thread only, once CUPTI is set up. A change usually takes 0.1 ms; it is told on the wire with the
// time for which neither level was whole.
#pragma once

#include "samplers/cuda/launch_hooks.h"
#include "samplers/wire/gpu.h"

namespace gprofx::cuda {

class LevelSwitch {
 public:
  // Everything is on when it is made.
  LevelSwitch();

  // Ends samples of instructions, for good, before it leaves kLevelRecords: CUPTI does not let records
  // be switched beside them. Records are flushed before they end. False: it is not possible at this
  // moment, because threads are inside of CUDA calls, or CUPTI refuses; nothing has changed, or less
  // than was asked for.
  bool Set(wire::GpuLevel level);
  wire::GpuLevel level() const { return level_; }
  bool records() const { return level_ == wire::kLevelRecords; }
  // Now and then: are hooks still to be trusted?
  void Watch();

 private:
  bool BeginRecords();
  bool Up();
  bool Down();

  wire::GpuLevel level_ = wire::kLevelRecords;
  LaunchHooks hooks_;
  bool window_ended_ = false;  // one with records
};

}  // namespace gprofx::cuda
