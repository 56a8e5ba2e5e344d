// Turns what the recording does in this process up and down (wire/gpu.h, GpuLevel).
//
// Our own thread only, once CUPTI is set up. Up and down take 0.1 ms, but for leaving kLevelSamples:
// 4 ms, during which the program runs on. Each change is told on the wire with the time for which
// neither level was whole.
#pragma once

#include "samplers/wire/gpu.h"

namespace gprofx::cuda {

class LevelSwitch {
 public:
  // Everything that `most` stands for is on when it is made.
  explicit LevelSwitch(wire::GpuLevel most);

  // At most `most`. Nothing happens if that level is on.
  void Set(wire::GpuLevel level);
  wire::GpuLevel level() const { return level_; }
  wire::GpuLevel most() const { return most_; }

 private:
  const wire::GpuLevel most_;
  wire::GpuLevel level_;
};

}  // namespace gprofx::cuda
