// Calls that are made again here: by the number before the instruction that enters the kernel.
#include "samplers/agent/signals/interrupted_call.h"

#include <catch2/catch.hpp>

using namespace gprofx::agent;

namespace {

// mov $number, %eax; syscall
struct Code {
  uint8_t bytes[7] = {0xb8, 0, 0, 0, 0, 0x0f, 0x05};
  explicit Code(uint8_t number) { bytes[1] = number; }
  greg_t At(int offset) const { return reinterpret_cast<greg_t>(bytes + offset); }
};

ucontext_t Interrupted(greg_t ip, greg_t rax) {
  ucontext_t context{};
  context.uc_mcontext.gregs[REG_RIP] = ip;
  context.uc_mcontext.gregs[REG_RAX] = rax;
  context.uc_mcontext.gregs[REG_RDI] = 1;
  return context;
}

}  // namespace

TEST_CASE(
    "a call that is to go on after a stop begins anew, as a handler makes the kernel forget it") {
  const Code poll(SYS_poll), read(SYS_read);
  ucontext_t context = Interrupted(poll.At(5), SYS_restart_syscall);
  CHECK(BeginStoppedCallAnew(context));
  CHECK(context.uc_mcontext.gregs[REG_RAX] == SYS_poll);
  CHECK(context.uc_mcontext.gregs[REG_RIP] == poll.At(5));
  CHECK(context.uc_mcontext.gregs[REG_RDI] == 1);

  context =
      Interrupted(read.At(5), SYS_restart_syscall);  // never: the kernel does not so go on with it
  CHECK_FALSE(BeginStoppedCallAnew(context));
  CHECK(context.uc_mcontext.gregs[REG_RAX] == SYS_restart_syscall);

  context = Interrupted(poll.At(0), SYS_restart_syscall);  // a number like any other
  CHECK_FALSE(BeginStoppedCallAnew(context));
  CHECK(context.uc_mcontext.gregs[REG_RAX] == SYS_restart_syscall);
}
