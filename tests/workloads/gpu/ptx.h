// A kernel as text, so that each image can be a little different from the one before.
#pragma once

#include <string>

// ptx_add(counter): adds `amount` to *counter.
inline std::string AddKernel(unsigned amount) {
  return R"(.version 7.0
.target sm_80
.address_size 64
.visible .entry ptx_add(.param .u64 counter) {
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd0, [counter];
  cvta.to.global.u64 %rd0, %rd0;
  atom.global.add.u32 %r0, [%rd0], )" +
         std::to_string(amount) + R"(;
  ret;
}
)";
}
