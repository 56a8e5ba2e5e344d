// Turns what the recording does in this process up and down (wire/gpu.h, GpuLevel).
//
// Our own thread only, once CUPTI is set up. A change takes 0.1 ms; it is told on the wire with the
// time for which neither level was whole.
#pragma once

#include "samplers/wire/gpu.h"

namespace gprofx::cuda {

class LevelSwitch {
 public:
  // Everything is on when it is made.
  LevelSwitch();

  // Nothing happens if that level is on.
  void Set(wire::GpuLevel level);
  wire::GpuLevel level() const { return level_; }

 private:
  wire::GpuLevel level_ = wire::kLevelRecords;
};

}  // namespace gprofx::cuda
