#include "samplers/agent/stacks/stack_room.h"

#include <signal.h>

#include <catch2/catch.hpp>

#include "samplers/agent/machine/machine.h"

using namespace gprofx::agent;

namespace {

uint64_t g_frame_bytes = 0, g_used_bytes = 0;

void Measure(int, siginfo_t*, void* context) {
  const auto& c = *static_cast<const ucontext_t*>(context);
  g_frame_bytes = machine::SignalFrameBytes(c);
  g_used_bytes = reinterpret_cast<uint64_t>(c.uc_stack.ss_sp) + c.uc_stack.ss_size -
                 reinterpret_cast<uint64_t>(context);
}

}  // namespace

TEST_CASE("where a sample is taken follows from the room that is left on an alternate stack") {
  constexpr uint64_t kBase = 0x10000, kElsewhere = 0x7000000, kFrame = 3632;
  stack_t stack{};
  stack.ss_sp = reinterpret_cast<void*>(kBase);
  stack.ss_size = 32768;
  CHECK(PlaceOfSample(stack, kElsewhere, kBase + 28000, kFrame) == Place::kHere);
  CHECK(PlaceOfSample(stack, kElsewhere, kBase + 12000, kFrame) == Place::kInterrupted);
  CHECK(PlaceOfSample(stack, kElsewhere, kBase + 20000, 11952) == Place::kInterrupted);
  // A handler of the program was interrupted, on the same stack.
  CHECK(PlaceOfSample(stack, kBase + 20000, kBase + 17000, kFrame) == Place::kHere);
  CHECK(PlaceOfSample(stack, kBase + 20000, kBase + 12000, kFrame) == Place::kAside);
  // Not on it, or there is none: the program's own stack has room.
  CHECK(PlaceOfSample(stack, kElsewhere, kBase + 32769, kFrame) == Place::kHere);
  // Below a coroutine's frames the memory is somebody else's.
  const gprofx::agent::OwnStack around{kElsewhere - (1 << 20), kElsewhere + (1 << 20)};
  const gprofx::agent::OwnStack other{kElsewhere + (1 << 20), kElsewhere + (2 << 20)};
  const gprofx::agent::OwnStack full{kElsewhere - 4096, kElsewhere + (1 << 20)};
  CHECK(PlaceOfSample(stack, kElsewhere, kBase + 12000, kFrame, around) == Place::kInterrupted);
  CHECK(PlaceOfSample(stack, kElsewhere, kBase + 28000, kFrame, other) == Place::kHere);
  for (const auto& own : {other, full}) {
    CHECK(PlaceOfSample(stack, kElsewhere, kBase + 12000, kFrame, own) == Place::kAside);
    CHECK(PlaceOfSample(stack, kElsewhere, kBase + 5000, kFrame, own) == Place::kAside);
  }
  // The stack of a thread that ran before us is assumed right below the thread pointer.
  const gprofx::agent::OwnStack known = StackBelow(kElsewhere + (100 << 10));
  CHECK(PlaceOfSample(stack, kElsewhere, kBase + 12000, kFrame, known) == Place::kInterrupted);
  CHECK(PlaceOfSample(stack, kElsewhere - (4 << 20), kBase + 5000, kFrame, known) == Place::kAside);
  stack.ss_flags = SS_DISABLE;
  CHECK(PlaceOfSample(stack, kElsewhere, kBase + 100, kFrame) == Place::kHere);
  CHECK(PlaceOfSample(stack, kElsewhere, kBase + 100, kFrame, around) == Place::kHere);
  CHECK(PlaceOfSample(stack, kElsewhere, kBase + 100, kFrame, other) == Place::kAside);
  // It may be larger, which is enough to stay.
  CHECK(PlaceOfSample(stack, kElsewhere - (4 << 20), kBase + 100, kFrame, known) == Place::kHere);
  CHECK(PlaceOfSample(stack, kElsewhere - (16 << 20), kBase + 100, kFrame, known) == Place::kAside);
}

TEST_CASE("a function is called on another stack, and returns") {
  alignas(16) static char room[16384];
  uint64_t seen = 0;
  GprofxCallOnStack(
      &seen,
      [](void* to) {
        *static_cast<uint64_t*>(to) = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
      },
      reinterpret_cast<uint64_t>(room + sizeof(room)));
  CHECK(seen - reinterpret_cast<uint64_t>(room) < sizeof(room));
}

TEST_CASE("the size of a signal's frame is what the kernel used") {
  alignas(64) static char room[65536];
  stack_t stack{}, old{};
  stack.ss_sp = room;
  stack.ss_size = sizeof(room);
  REQUIRE(sigaltstack(&stack, &old) == 0);
  struct sigaction action {
  }, before{};
  action.sa_sigaction = Measure;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGUSR1, &action, &before);
  raise(SIGUSR1);
  sigaction(SIGUSR1, &before, nullptr);
  sigaltstack(&old, nullptr);
  CHECK(g_frame_bytes >= g_used_bytes);
  CHECK(g_frame_bytes < g_used_bytes + 1024);
}
