// What is read from the code before a system call: its number, and where its first argument came
// from.
#include "samplers/wire/restart.h"

#include <ucontext.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <vector>

#include "samplers/agent/signals/interrupted_call.h"

using namespace gprofx;

namespace {

constexpr uint32_t kNop = 0xd503201f, kSvc = 0xd4000001;

wire::CallForm Form(std::vector<uint32_t> code) {
  uint8_t bytes[wire::kCallBytes];
  code.insert(code.begin(), wire::kCallInstructions - code.size(), kNop);
  std::memcpy(bytes, code.data(), sizeof bytes);
  return wire::FormOfCall(bytes);
}

// As Debian's glibc has it in poll: mov x0, x20; mov x1, x19; mov x2, x21; mov x3, #0; mov x4, #0;
// mov x8, #73; svc #0.
const std::vector<uint32_t> kPoll = {0xaa1403e0, 0xaa1303e1, 0xaa1503e2, 0xd2800003,
                                     0xd2800004, 0xd2800928, kSvc};

}  // namespace

TEST_CASE("a call's number and the register of its first argument are read from its code") {
  const wire::CallForm form = Form(kPoll);
  CHECK((form.number == SYS_ppoll && form.from == 20 && !form.narrow));
  CHECK(wire::AgentRestarts(form.number));
  // sxtw x0, w19; mov x8, #115; svc
  const wire::CallForm sleep = Form({0x93407e60, 0xd2800e68, kSvc});
  CHECK((sleep.number == SYS_clock_nanosleep && sleep.from == 19 && sleep.narrow && sleep.sign));
  // mov x0, #0; mov x8, #73; svc
  const wire::CallForm pause = Form({0xd2800000, 0xd2800928, kSvc});
  CHECK((pause.number == SYS_ppoll && pause.from == 31 && pause.value == 0));
}

TEST_CASE("where the first argument cannot be had again the call has no form") {
  CHECK(Form({0xd2800928, kSvc}).number == -1);                          // came as the caller's own
  CHECK(Form({0xaa1403e0, 0xaa1303f4, 0xd2800928, kSvc}).number == -1);  // x20 is set after it
  CHECK(Form({0xaa1403e0, 0x94000000, 0xd2800928, kSvc}).number == -1);  // a call in between
  CHECK(Form({0xaa1403e0, 0xaa1303e8, kSvc}).number == -1);              // a number from a register
  CHECK(Form({0xf94003e0, 0xd2800928, kSvc}).number == -1);              // loaded
  CHECK(Form({0xaa1403e0, 0xd2800928, kNop}).number == -1);              // no call
  CHECK(Form({0x93407c00, 0xd2800928, kSvc}).number == -1);              // of itself
}

TEST_CASE("a call is made again with the argument that its result replaced") {
  ucontext_t context{};
  auto& regs = context.uc_mcontext.regs;
  regs[0] = static_cast<uint64_t>(-4);
  regs[8] = SYS_ppoll;
  regs[20] = 0x1234567812345678;
  context.uc_mcontext.pc = 0x1000;
  REQUIRE(agent::machine::MakeAgain(context, Form(kPoll)));
  CHECK((regs[0] == 0x1234567812345678 && context.uc_mcontext.pc == 0xffc));
  regs[19] = 0xffffffff00000001;
  regs[8] = SYS_clock_nanosleep;
  REQUIRE(agent::machine::MakeAgain(context, Form({0x93407e60, 0xd2800e68, kSvc})));
  CHECK(regs[0] == 1);
  regs[8] = SYS_read;  // another way led to this place
  CHECK_FALSE(agent::machine::MakeAgain(context, Form(kPoll)));
}

TEST_CASE(
    "a call that is to go on after a stop begins anew, as a handler makes the kernel forget it") {
  std::vector<uint32_t> code(wire::kCallInstructions - kPoll.size(), kNop);
  code.insert(code.end(), kPoll.begin(), kPoll.end());
  ucontext_t context{};
  auto& regs = context.uc_mcontext.regs;
  regs[8] = SYS_restart_syscall;
  context.uc_mcontext.pc = reinterpret_cast<uintptr_t>(&code.back());
  CHECK(agent::BeginStoppedCallAnew(context));
  CHECK(regs[8] == SYS_ppoll);
  CHECK(context.uc_mcontext.pc == reinterpret_cast<uintptr_t>(&code.back()));
}
