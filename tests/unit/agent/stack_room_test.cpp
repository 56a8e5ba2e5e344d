#include "samplers/agent/stack_room.h"

#include <signal.h>

#include <catch2/catch.hpp>

using namespace gprofx::agent;

namespace {

uint64_t g_frame_bytes = 0, g_used_bytes = 0;

void Measure(int, siginfo_t*, void* context) {
  const auto& c = *static_cast<const ucontext_t*>(context);
  g_frame_bytes = SignalFrameBytes(c);
  g_used_bytes = reinterpret_cast<uint64_t>(c.uc_stack.ss_sp) + c.uc_stack.ss_size -
                 reinterpret_cast<uint64_t>(context);
}

}  // namespace

TEST_CASE("what a sample may do follows from the room that is left on an alternate stack") {
  stack_t stack{};
  stack.ss_sp = reinterpret_cast<void*>(0x10000);
  stack.ss_size = 8192;
  CHECK(LoadsOnStack(stack, 0x10000 + 8000, 3632) == Loads::kFaulting);
  CHECK(LoadsOnStack(stack, 0x10000 + 4500, 3632) == Loads::kCopying);
  CHECK(LoadsOnStack(stack, 0x10000 + 2000, 3632) == Loads::kNone);
  CHECK(LoadsOnStack(stack, 0x10000 + 8000, 11952) == Loads::kCopying);
  // Not on it, or there is none: the program's own stack has room.
  CHECK(LoadsOnStack(stack, 0x10000 + 8193, 3632) == Loads::kFaulting);
  CHECK(LoadsOnStack(stack, 0x9000, 3632) == Loads::kFaulting);
  stack.ss_flags = SS_DISABLE;
  CHECK(LoadsOnStack(stack, 0x10000 + 100, 3632) == Loads::kFaulting);
}

TEST_CASE("the size of a signal's frame is what the kernel used") {
  alignas(64) static char room[65536];
  stack_t stack{}, old{};
  stack.ss_sp = room;
  stack.ss_size = sizeof(room);
  REQUIRE(sigaltstack(&stack, &old) == 0);
  struct sigaction action {}, before{};
  action.sa_sigaction = Measure;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGUSR1, &action, &before);
  raise(SIGUSR1);
  sigaction(SIGUSR1, &before, nullptr);
  sigaltstack(&old, nullptr);
  CHECK(g_frame_bytes >= g_used_bytes);
  CHECK(g_frame_bytes < g_used_bytes + 1024);
}
