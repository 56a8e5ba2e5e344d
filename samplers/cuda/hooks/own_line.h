// Numbers cache lines and gives each to at most one thread at a time, which alone writes to it. A
// thread that owns a line can count in it without atomic read-modify-write instructions.
//
// Any thread. A line is released when its thread ends.
#pragma once

#include <cstdint>

#include "samplers/wire/gpu.h"

namespace gprofx::cuda {

class OwnLine {
 public:
  static constexpr int32_t kLines = int32_t{wire::kGpuLines};
  // Returns the number of the calling thread's line, below kLines. Negative if the thread has none,
  // because there are too many threads or fences are not light (asymmetric_fence.h).
  static int32_t Index() {
    if (t_line == 0) [[unlikely]]
      Take();
    return t_line - 1;
  }

 private:
  static void Take();
  static void GiveBack(void* line);

  __attribute__((tls_model("initial-exec"))) static constinit thread_local int32_t t_line;
};

__attribute__((tls_model("initial-exec"))) inline constinit thread_local int32_t OwnLine::t_line =
    0;

}  // namespace gprofx::cuda
