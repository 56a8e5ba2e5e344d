// Stacks of real programs for Arm, as Debian 12 and PyTorch's wheel have them: CPython 3.11 (with
// OpenSSL's kernels in assembler), libtorch 2.3.1 in a training (with OpenBLAS's and oneDNN's), C++
// by GCC 12 with -fomit-frame-pointer and signed return addresses.
#include "../recorded_stacks.h"

#include <catch2/catch.hpp>

using namespace gprofx::agent;

TEST_CASE("recorded stacks of Arm binaries are walked to their end, as libgcc walks them") {
  for (const char* name : {"cpython", "libtorch", "omit_frame_pointer"}) {
    const RecordedStacks recorded =
        ReadStacks(std::string("tests/data/stacks/aarch64/") + name + ".stacks");
    INFO(name);
    REQUIRE(recorded.stacks.size() >= 40);
    size_t confirmed = 0;
    for (const RecordedStack& stack : recorded.stacks) {
      const StackMemory memory{stack.memory, recorded.memory};
      OwnRows<StackMemory> rows{recorded.modules, memory};
      NativeFrame frames[1024];
      Walker walker(memory, rows, frames, 1024);
      const WalkResult walk = walker.Walk(stack.registers);
      INFO("interrupted at " << std::hex << stack.registers.ip());
      CHECK(walk.end == EndReason::kComplete);
      std::vector<uint64_t> pcs;
      for (uint32_t i = 0; i < walk.count; ++i) pcs.push_back(walk.frames[i].pc);
      CHECK(pcs == stack.pcs);
      if (stack.confirmed) ++confirmed;
    }
    // The others were interrupted in code without unwind rows, where libgcc gives up.
    CHECK(confirmed * 10 >= recorded.stacks.size() * 8);
  }
}
